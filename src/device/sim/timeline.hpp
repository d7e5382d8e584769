// timeline.hpp - when each operation of a simulated device begins and ends: streams, engines, wires. Pure.
//
// Threads     one at a time.
// Cost        begin and end: the logarithm of the operations under way, and a look at every stream.
// Invariants  time follows from what was enqueued when; that ends are asked for late changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

namespace stretto::device::sim {

/// What can do one thing at a time. The wires of several devices may be one.
struct engine {
  double free_at = 0;
};

/// A place in a stream that others wait for.
struct point {
  std::optional<double> passed_at;
};

struct timed_operation {
  std::uint64_t id = 0;        // of the caller
  double seconds = 0;
  engine* on = nullptr;        // none: takes no time
  engine* also_on = nullptr;   // the wires, for copies
  std::shared_ptr<point> waits_for, marks;
  double enqueued_at = 0;
};

class timeline {
 public:
  std::size_t add_stream();
  void remove_stream(std::size_t stream) noexcept;  // an empty one
  void enqueue(std::size_t stream, timed_operation op, double now);

  /// The operation that ends first, if it ends until `now`; its stream goes on. The caller gives it its effect.
  std::optional<std::uint64_t> take_next_ended(double now);
  /// When take_next_ended can return something; nothing if nothing is under way.
  std::optional<double> next_end() const;
  /// Whether take_next_ended has told of all that was put into it.
  bool stream_is_empty(std::size_t stream) const { return streams_[stream].waiting.empty() && streams_[stream].unreported == 0; }

 private:
  struct one_stream {
    std::deque<timed_operation> waiting;
    bool busy = false;     // its first operation is under way
    double free_at = 0;    // when the operation before ended
    std::size_t unreported = 0;  // ended, which nobody has asked for yet
  };
  struct under_way {
    double ends_at;
    std::uint64_t number;  // of equal times, the one that began first
    std::size_t stream;
    friend bool operator>(const under_way& a, const under_way& b) {
      return a.ends_at != b.ends_at ? a.ends_at > b.ends_at : a.number > b.number;
    }
  };
  struct reported_end {
    double at;
    std::uint64_t id;
    std::size_t stream;
  };
  void begin_what_can();
  void end_first();

  std::vector<one_stream> streams_;
  std::priority_queue<under_way, std::vector<under_way>, std::greater<>> under_way_;
  std::deque<reported_end> ended_;  // in the order of time
  std::uint64_t begun_ = 0;
};

}  // namespace stretto::device::sim
