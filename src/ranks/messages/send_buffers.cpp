#include "ranks/messages/send_buffers.hpp"

#include <utility>

namespace stretto::ranks {

send_buffer& send_buffers::of(const void* owner) {
  const std::scoped_lock lock(mutex_);
  auto& one = others_[owner];
  if (!one) one = std::make_unique<send_buffer>();
  has_others_.store(true, std::memory_order_release);
  return *one;
}

send_buffer& send_buffers::for_message(const void* comm) {
  if (!has_others_.load(std::memory_order_acquire)) return common_;
  send_buffer* const one = attached_one(comm);
  return one ? *one : common_;
}

send_buffer* send_buffers::attached_one(const void* comm) {
  const std::scoped_lock lock(mutex_);
  if (const auto own = others_.find(comm); own != others_.end() && own->second->is_attached()) return own->second.get();
  if (common_.is_attached()) return nullptr;
  for (const auto& [owner, one] : others_)
    if (one->is_attached()) return one.get();
  return nullptr;
}

void send_buffers::remove(const void* owner) {
  if (!has_others_.load(std::memory_order_acquire)) return;
  std::unique_ptr<send_buffer> removed;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = others_.find(owner);
    if (found == others_.end()) return;
    removed = std::move(found->second);
    others_.erase(found);
  }
  removed->flush();
}

}  // namespace stretto::ranks
