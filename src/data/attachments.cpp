#include "data/attachments.hpp"

#include <utility>

#include "base/numbers.hpp"

namespace stretto::data {

attachments::added attachments::add(std::shared_ptr<attached_array> array) {
  const std::scoped_lock lock(lock_);
  const attachment_number number = last_ = base::next(last_);
  // The hold may outlive the runtime, in a message that was never sent.
  auto held = std::shared_ptr<const void>(array.get(), [number, in = weak_from_this()](const void*) {
    const std::shared_ptr<attachments> all = in.lock();
    if (!all) return;
    std::shared_ptr<attached_array> ends;  // destroyed after the lock is released
    const std::scoped_lock hold(all->lock_);
    const auto found = all->all_.find(number);
    ends = std::move(found->second.array);
    all->all_.erase(found);
  });
  all_.emplace(number, entry{std::move(array), held});
  return {number, std::move(held)};
}

std::shared_ptr<attached_array> attachments::find(attachment_number number) const {
  const std::scoped_lock lock(lock_);
  const auto found = all_.find(number);
  return found == all_.end() ? nullptr : found->second.array;
}

std::shared_ptr<const void> attachments::hold(attachment_number number) {
  const std::scoped_lock lock(lock_);
  const auto found = all_.find(number);
  return found == all_.end() ? nullptr : found->second.held.lock();
}

std::size_t attachments::size() const {
  const std::scoped_lock lock(lock_);
  return all_.size();
}

}  // namespace stretto::data
