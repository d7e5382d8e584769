// forwarded_messages.hpp - to which nodes this node has forwarded messages of which senders. When such a node fails,
// the senders must send these messages again, and they may not have lost it themselves.
//
// Threads     Any.
// Cost        A lock for each forwarded message; memory for each pair of nodes.
#pragma once

#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "mobile/messages.hpp"

namespace stretto::mobiles {

class forwarded_messages {
 public:
  void record(rank to, rank sender) {
    const std::scoped_lock lock(lock_);
    all_.emplace(to, sender);
  }
  /// The senders of messages that were forwarded to that node, in order.
  std::vector<rank> senders_to(rank node) {
    std::vector<rank> found;
    const std::scoped_lock lock(lock_);
    for (auto it = all_.lower_bound({node, 0}); it != all_.end() && it->first == node; ++it)
      found.push_back(it->second);
    return found;
  }

 private:
  base::spin_lock lock_;
  std::set<std::pair<rank, rank>> all_;  // (receiver, original sender) of every forward so far
};

}  // namespace stretto::mobiles
