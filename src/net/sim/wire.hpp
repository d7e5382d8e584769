// wire.hpp - the packets in transfer from one node to another, in order of arrival, with their times.
//
// Heads, bulk data and window replies travel independently: a large payload does not delay the small messages behind
// it. The target's program takes no part in window replies. All share the bandwidth.
//
// Threads     any, under the network's lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <utility>

#include "net/sim/settings.hpp"

namespace stretto::net::sim {

/// Virtual time in integers, so that sums are exact.
using nanoseconds = std::uint64_t;

struct packet {
  nanoseconds due = 0;
  std::uint64_t bytes = 0;
  nanoseconds request_latency = 0;        // of a reply: added to its own latency
  std::function<void()> arrives = {};     // called without the network's lock; may be empty
  std::function<void()> under_lock = {};  // called before that, with the lock; may be empty
};

class wire {
 public:
  enum class traffic_class { heads, bulk, window };

  void put(packet&& p, traffic_class which, nanoseconds now, const settings& s, std::mt19937_64& random) {
    const auto takes = static_cast<nanoseconds>(static_cast<double>(p.bytes) / s.bandwidth_bytes_per_second * 1e9);
    busy_until_ = std::max(busy_until_, now) + takes;
    const auto jitter = static_cast<nanoseconds>(s.jitter_seconds * 1e9);
    auto& last = last_due_[static_cast<int>(which)];
    const auto latency = static_cast<nanoseconds>(s.latency_seconds * 1e9) + p.request_latency;
    p.due = last = std::max(last, busy_until_ + latency + (jitter ? random() % (jitter + 1) : 0));
    queues_[static_cast<int>(which)].push_back(std::move(p));
  }
  /// The next packet to arrive, or null.
  packet* next() noexcept {
    packet* first = nullptr;
    for (auto& q : queues_)
      if (!q.empty() && (!first || q.front().due < first->due)) first = &q.front();
    return first;
  }
  packet take(const packet& p) {
    auto& q = *std::ranges::find_if(queues_, [&](const auto& one) { return !one.empty() && &one.front() == &p; });
    packet taken = std::move(q.front());
    q.pop_front();
    return taken;
  }
  void clear() noexcept {
    for (auto& q : queues_) q.clear();
  }

 private:
  std::deque<packet> queues_[3];
  nanoseconds busy_until_ = 0, last_due_[3] = {};
};

}  // namespace stretto::net::sim
