// job_clock.hpp - by how much this node's steady clock differs from that of node 0: for timelines of several nodes.
//
// A measurement is some questions to node 0, one after the other; the answer that came soonest counts, as if its two ways had taken equally
// long. An offset that is within its own error is 0: nodes of one host have one clock.
//
// Threads     measure: any. The rest inside job::poll; offset_ns: any.
// Cost        a measurement: `questions` messages and as many answers, which count as none (job::counted::no).
// Invariants  (1) the error is at most half of the shortest time between a question and its answer; and, as measured at both ends of a
//             run, half of what the clocks drift apart between them.
// Source      Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "dist/job.hpp"

namespace stretto::dist {

class job_clock final : public protocol {
 public:
  static constexpr unsigned samples = 16;

  using reading = std::int64_t (*)();  // nanoseconds
  /// Before job::start. `now`: the steady clock, but in tests.
  explicit job_clock(job& j, reading now = steady_now);
  /// At the beginning of a run, and at its end. Nothing on node 0.
  enum class measuring_point : std::uint8_t { beginning, end };
  void measure(measuring_point m);
  /// To add to this node's steady clock for node 0's: the mean of what has been measured.
  std::int64_t offset_ns() const noexcept;

  void lost(rank, base::thread_context&) noexcept override {}

 private:
  void on_ask(rank from, reader& content, base::thread_context& context);
  void on_answer(rank from, reader& content, base::thread_context& context);
  void ask(measuring_point m, std::uint32_t number);

  struct best_sample {
    std::atomic<std::int64_t> round_trip_ns{0};  // and back; 0: nothing has come
    std::atomic<std::int64_t> offset_ns{0};
  };
  static std::int64_t steady_now() noexcept;

  job& job_;
  const reading now_;
  message_kind ask_, answer_;
  std::array<best_sample, 2> best_samples_;  // by moment
};

}  // namespace stretto::dist
