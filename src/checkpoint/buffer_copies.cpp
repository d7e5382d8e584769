#include "checkpoint/buffer_copies.hpp"

#include <utility>

#include "buffers/buffers_state.hpp"

namespace stretto::checkpoints {

std::uint64_t buffer_copies::next() {
  const std::scoped_lock held(lock_);
  return ++last_;
}

buffer_copies::entry& buffer_copies::at(std::uint64_t number, const std::source_location& where) {
  const auto [found, is_new] = all_.try_emplace(number);
  if (is_new) found->second.is_there = user_event::create(where);
  return found->second;
}

void buffer_copies::add(std::uint64_t number, copies_of_buffers copies) {
  const std::source_location where = std::source_location::current();
  user_event is_there;
  {
    const std::scoped_lock held(lock_);
    entry& e = at(number, where);
    e.copies = std::move(copies);
    is_there = e.is_there;
  }
  is_there.trigger(where);
}

copies_of_buffers buffer_copies::find(std::uint64_t number, const std::source_location& where) {
  user_event is_there;
  {
    const std::scoped_lock held(lock_);
    is_there = at(number, where).is_there;
  }
  wait(is_there, where);
  const std::scoped_lock held(lock_);
  return at(number, where).copies;
}

void buffer_copies::forget(std::uint64_t number) {
  const std::scoped_lock held(lock_);
  all_.erase(number);
}

std::shared_ptr<buffer_copies> copies_here() {
  buffers::buffers_state& s = *buffers::state_of(*base::require_current("buffer_checkpoint").runtime);
  const buffers::buffers_lock held(s);
  if (!s.checkpoints) s.checkpoints = std::make_shared<buffer_copies>();
  return std::static_pointer_cast<buffer_copies>(s.checkpoints);
}

}  // namespace stretto::checkpoints
