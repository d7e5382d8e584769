#include "mobile/reply_aggregation.hpp"

namespace stretto::mobiles {

void reply_aggregation::add(std::span<const std::byte> header, std::span<const std::byte> value) {
  std::vector<std::byte> full;
  {
    const std::scoped_lock lock(lock_);
    // assumes replies of equal size
    if (replies_.empty()) replies_.reserve(messages_ * (header.size() + value.size()) + 64);
    replies_.insert(replies_.end(), header.begin(), header.end());
    replies_.insert(replies_.end(), value.begin(), value.end());
    if (replies_.size() < flush_bytes) return;
    full = std::exchange(replies_, {});
  }
  send(full);
}

void reply_aggregation::end() {
  std::vector<std::byte> last;
  {
    const std::scoped_lock lock(lock_);
    if (--messages_) return;
    last = std::exchange(replies_, {});
  }
  if (!last.empty()) send(last);
}

void reply_aggregation::send(std::span<const std::byte> replies) {
  dist::writer w;
  w.put_bytes(replies);
  send_(owner_, to_, std::move(w));
}

}  // namespace stretto::mobiles
