// timeline.hpp - computes when each operation of a simulated device begins and ends, from its streams, engines and
// bus. Pure.
//
// Threads     one at a time.
// Cost        begin and end: the logarithm of the pending operations, and a visit of every stream.
// Invariants  times follow from what was enqueued when; asking late for ends changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

namespace stretto::device::sim {

/// A resource that serves one operation at a time. Several devices may share one as their bus.
struct engine {
  double free_at = 0;
};

/// A marker in a stream that other streams wait for.
struct point {
  std::optional<double> passed_at;
};

struct timed_operation {
  std::uint64_t id = 0;  // chosen by the caller
  double seconds = 0;
  engine* on = nullptr;       // null: takes no time
  engine* also_on = nullptr;  // the bus, for copies
  std::shared_ptr<point> waits_for, marks;
  double enqueued_at = 0;
};

class timeline {
 public:
  std::size_t add_stream();
  void remove_stream(std::size_t stream) noexcept;  // the stream must be empty
  void enqueue(std::size_t stream, timed_operation op, double now);

  /// The operation that ends first, if it ends by `now`; its stream continues. The caller applies the operation's
  /// effect.
  std::optional<std::uint64_t> take_next_ended(double now);
  /// The time at which take_next_ended can return an operation; nothing if none is pending.
  std::optional<double> next_end() const;
  /// Whether take_next_ended has returned all operations of the stream.
  bool stream_is_empty(std::size_t stream) const {
    return streams_[stream].waiting.empty() && streams_[stream].unreported == 0;
  }

 private:
  struct one_stream {
    std::deque<timed_operation> waiting;
    bool busy = false;           // its first operation is running
    double free_at = 0;          // end of the previous operation
    std::size_t unreported = 0;  // ended, but not yet returned
  };
  struct under_way {
    double ends_at;
    std::uint64_t number;  // orders equal times: the operation that began first
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
  void begin_ready_operations();
  void end_first();

  std::vector<one_stream> streams_;
  std::priority_queue<under_way, std::vector<under_way>, std::greater<>> under_way_;
  std::deque<reported_end> ended_;  // ordered by time
  std::uint64_t begun_ = 0;
};

}  // namespace stretto::device::sim
