#include "mobile/reply_aggregation.hpp"

namespace stretto::mobiles {

void reply_aggregation::add(std::span<const std::byte> fields, std::span<const std::byte> value) {
  encoded full;
  {
    const std::scoped_lock lock(lock_);
    std::vector<std::byte>& all = added_.replies;
    // assumes replies of equal size
    if (all.empty()) all.reserve(messages_ * (fields.size() + value.size()) + 64);
    all.insert(all.end(), fields.begin(), fields.end());
    all.insert(all.end(), value.begin(), value.end());
    ++added_.count;
    if (all.size() < flush_bytes) return;
    full = std::exchange(added_, {});
  }
  send(full);
}

void reply_aggregation::end() {
  encoded last;
  {
    const std::scoped_lock lock(lock_);
    if (--messages_) return;
    last = std::exchange(added_, {});
  }
  if (last.count) send(last);
}

}  // namespace stretto::mobiles
