// job_clock.hpp - the offset between the steady clocks of this node and of node 0, for timelines of several nodes.
//
// A measurement sends `samples` queries to node 0, one after the other. The reply with the shortest round trip counts,
// as if its two ways had taken equally long. An offset smaller than its own error is reported as 0: nodes of one host
// share a clock.
//
// Threads     measure, offset_ns: any. The rest inside job::poll.
// Cost        a measurement: `samples` messages and as many replies, which are not counted.
// Invariants  (1) the error is at most half of the shortest round trip; since it is measured at both ends of a run,
//             half of the drift between them is added.
// Source      Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "dist/clock_messages.hpp"
#include "dist/job.hpp"

namespace stretto::dist {

class job_clock final : public protocol {
 public:
  static constexpr unsigned samples = 16;

  using reading = std::int64_t (*)();  // nanoseconds
  /// Must be made before job::start. `now` is the steady clock, except in tests.
  explicit job_clock(job& j, reading now = steady_now);
  using measuring_point = dist::measuring_point;
  /// Must be called at the beginning and at the end of a run. Does nothing on node 0.
  void measure(measuring_point m);
  /// Added to this node's steady clock, it gives that of node 0: the mean of the measurements so far.
  std::int64_t offset_ns() const noexcept;

  void lost(rank, base::thread_context&) noexcept override {}

 private:
  void on_query(rank from, const clock_query& q, base::thread_context& context);
  void on_reply(rank from, const clock_reply& r, base::thread_context& context);
  void query(measuring_point m, std::uint32_t sample);

  struct best_sample {
    std::atomic<std::int64_t> round_trip_ns{0};  // 0: no reply yet
    std::atomic<std::int64_t> offset_ns{0};
  };
  static std::int64_t steady_now() noexcept;

  job& job_;
  const reading now_;
  std::array<best_sample, 2> best_samples_;  // by measuring_point
};

}  // namespace stretto::dist
