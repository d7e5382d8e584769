// staged_copy.hpp - one copy on its way over one or more channels, piece by piece.
//
// Threads     steps run on any thread; the state is behind a lock; completion is told once.
// Invariants  (1) its buffers are held from reserve() until it is destroyed. (2) after a failure no step starts.
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
  /// Who made it, and is told once when it has ended.
  class owner {
   public:
    virtual void ended(staged_copy& copy, failure_ref cause, base::thread_context& context) noexcept = 0;

   protected:
    ~owner() = default;
  };

  /// `route`: the memories passed through, both ends included; a null end is memory of the program.
  staged_copy(data_state& state, owner& made_by, operation& op, std::vector<memory_space*> route);
  staged_copy(const staged_copy&) = delete;
  ~staged_copy();

  /// Takes all buffers, smaller ones if there is not enough room for the usual; false, holding none, if there is not
  /// even room for one element.
  bool reserve();
  /// The same where system memory in between is full: for that, a little beside what instances may take. So a copy that
  /// makes room there is not refused for want of room.
  bool reserve_on_heap();
  void start(base::thread_context& context);

  /// From memory to memory.
  unsigned hops() const noexcept { return static_cast<unsigned>(steps_.size()); }
  operation& op() noexcept { return op_; }

 private:
  /// One hop's step at work: a host step is one item, a channel may be started several times for one step.
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
    trace::ticks since = 0;  // a channel is at it
  };

  static void on_host_step(places::work_item& self) noexcept;
  static void on_part_done(places::work_item& self) noexcept;
  void part_done(step& s, std::exception_ptr failure) noexcept;
  /// Starts whatever can; `finished`, if not null, has just ended.
  void advance(step* finished, base::thread_context& context) noexcept;
  void begin(step& s);
  loop_nest<2> walk_of(unsigned hop, std::uint64_t piece) const;
  std::uint64_t bytes_of(const step& s) const noexcept;
  reach end_of(unsigned stage, std::uint64_t piece, const box& b) const;
  void give_back() noexcept;
  /// Divides the copy into pieces of which the buffers hold `slots_`.
  void cut();

  /// In one memory in between, for all slots.
  struct buffer {
    block* held = nullptr;
    std::unique_ptr<std::byte[]> heap_bytes;  // held is null
  };
  static constexpr std::uint64_t heap_slot_bytes = 64 << 10;  // of a slot, if one element is no larger

  data_state& state_;
  owner& owner_;
  operation& op_;
  const std::vector<memory_space*> route_;
  std::vector<buffer> buffers_;  // one per memory in between
  std::uint64_t piece_bytes_ = 0;
  unsigned slots_ = 2;
  std::vector<box> pieces_;
  std::vector<step> steps_;  // one per hop

  std::atomic<std::uint64_t> latest_transfer_{0};  // in the trace; 0: none, or tasks moved what came after it

  std::mutex mutex_;  // guards what follows
  std::unique_ptr<pipeline> order_;
  bool advancing_ = false, again_ = false;
  failure_ref failed_;
};

}  // namespace stretto::data
