// staged_copy.hpp - one copy under way over one or more channels, piece by piece.
//
// Threads     steps run on any thread; a lock guards the state; the owner is notified once.
// Invariants  (1) the copy holds its buffers from reserve() until it is destroyed. (2) after a failure no step starts.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "data/data_state.hpp"
#include "data/loop_nest.hpp"
#include "data/pipeline.hpp"
#include "event/failure.hpp"
#include "platform/work_item.hpp"
#include "trace/clock.hpp"

namespace stretto::data {

class staged_copy {
 public:
  /// The creator of the copy, notified once when it has ended.
  class owner {
   public:
    virtual void ended(staged_copy& copy, failure_ref cause, base::thread_context& context) noexcept = 0;

   protected:
    ~owner() = default;
  };

  /// `route`: the memories on the way, both ends included; a null end is memory of the program.
  staged_copy(data_state& state, owner& made_by, operation& op, std::vector<memory_space*> route);
  staged_copy(const staged_copy&) = delete;
  ~staged_copy();

  /// Allocates all buffers, smaller ones if memory is short. Returns false, holding none, if not even one element fits.
  bool reserve();
  /// The same with a small buffer on the heap if host memory on the route is full. A copy that would free memory there
  /// is thus not refused for lack of memory.
  bool reserve_on_heap();
  void start(base::thread_context& context);

  /// From memory to memory.
  unsigned hops() const noexcept { return static_cast<unsigned>(steps_.size()); }
  operation& op() noexcept { return op_; }

 private:
  /// A step of one hop. A host step is one work item; a channel may be started several times for one step.
  struct step;
  struct step_part : places::completion {
    step_part() noexcept;
    step* owner = nullptr;
  };
  struct step {
    staged_copy* copy = nullptr;
    unsigned hop = 0;
    std::uint64_t piece = 0;
    std::atomic<std::size_t> left{0};
    std::vector<step_part> parts;
    loop_nest<2> walk;
    trace::ticks since = 0;  // when its channel started
  };

  static void on_host_step(places::work_item& self) noexcept;
  static void on_part_done(places::work_item& self) noexcept;
  void part_done(step& s, std::exception_ptr failure) noexcept;
  /// Starts all steps that can start; `finished`, if not null, has just ended.
  void advance(step* finished, base::thread_context& context) noexcept;
  void begin(step& s);
  loop_nest<2> walk_of(unsigned hop, std::uint64_t piece) const;
  std::uint64_t bytes_of(const step& s) const noexcept;
  reach end_of(unsigned stage, std::uint64_t piece, const box& b) const;
  void give_back() noexcept;
  /// Divides the copy into pieces of which the buffers hold `slots_`.
  void cut();

  /// The buffer in one memory of the route, for all slots.
  struct buffer {
    block* held = nullptr;
    std::unique_ptr<std::byte[]> heap_bytes;  // if held is null
  };
  static constexpr std::uint64_t heap_slot_bytes = 64 << 10;  // per slot, if one element is no larger

  data_state& state_;
  owner& owner_;
  operation& op_;
  const std::vector<memory_space*> route_;
  std::vector<buffer> buffers_;  // one per memory between the ends
  std::uint64_t piece_bytes_ = 0;
  unsigned slots_ = 2;
  std::vector<box> pieces_;
  std::vector<step> steps_;  // one per hop

  std::atomic<std::uint64_t> latest_transfer_{0};  // in the trace; 0: none, or tasks moved later pieces

  std::mutex mutex_;  // guards what follows
  std::unique_ptr<pipeline> order_;
  bool advancing_ = false, again_ = false;
  failure_ref failed_;
};

}  // namespace stretto::data
