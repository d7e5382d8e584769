// engine.hpp - who is inside UPC++, and what polls do for it: its progress, ends of operations, calls that arrive, and
// the order of collective calls.
//
// UPC++ completes operations on the persona that began them. Here all begin with the master persona, which a thread has
// while it is inside UPC++ and passes on: tasks that make calls, and the thread that polls.
//
// A collective call that blocks its thread (split, a new atomic domain) begins once all members of the team have made
// it, which a barrier_async ahead of it reports. Collective calls begin in the order of add_collective.
//
// Threads     calling: any thread of the runtime. The other members, unless they say so: with the master persona.
// Cost        a call: UPC++'s own cost, a lock, and two stores for the persona.
// Invariants  (1) one thread at a time has the master persona. (2) no task suspends while it has it. (3) promises are
//             set, and tasks are spawned, without it.
#pragma once

#include <stretto/poller.hpp>
#include <stretto/statistics.hpp>
#include <stretto_upcxx/operation.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace stretto {

/// While it exists, this thread is inside UPC++, with the master persona. The task must not suspend meanwhile.
class upcxx_scope {
 public:
  /// Waits until no other thread is inside. Does nothing if this one is, as in a callback of UPC++.
  explicit upcxx_scope(std::mutex& inside);
  /// The same without waiting: has_persona() is false if another thread is inside.
  upcxx_scope(std::mutex& inside, std::try_to_lock_t);
  upcxx_scope(const upcxx_scope&) = delete;

  bool has_persona() const noexcept { return has_persona_; }

 private:
  std::unique_lock<std::mutex> held_;
  std::optional<::upcxx::persona_scope> as_master_;
  bool has_persona_ = true;
};

namespace upcxx_detail {

/// A call from another process, which runs as a task.
class arrived_call {
 public:
  virtual ~arrived_call() = default;
  virtual void run() = 0;
};

/// Whether a collective call blocks until all members have made it.
enum class entry : std::uint8_t { at_once, when_all_have_arrived };

/// Calls to other processes that this one has made and served, and operations that have not ended.
using call_counts = std::array<std::uint64_t, 3>;

struct counted_operations {
  statistic calls, puts, gets, atomics, collectives;
};

class engine final : public poller {
 public:
  /// The engine of this process, to which calls of other processes go. Throws M36 if there is none. Any thread.
  static engine& of_process();

  explicit engine(const counted_operations& counts) : counts_(counts) {}
  ~engine() override;

  /// Calls of other processes go to this engine from now on; the next poll serves them. Any thread.
  void expect_calls();
  /// Listens to other processes from now on. `done`: a future that is ready. Any thread.
  void open(const future<void>& done);
  bool is_open() const noexcept { return open_.load(std::memory_order_acquire); }
  const future<void>& done() const noexcept { return done_; }
  const counted_operations& counts() const noexcept { return counts_; }

  upcxx_scope calling() { return upcxx_scope(inside_); }

  /// Pending from now on; `end` ends it.
  operation& add(std::unique_ptr<operation> o);
  /// For callbacks of UPC++. The next poll finishes the operation.
  void end(operation& o);
  void add_collective(std::unique_ptr<operation> o, const ::upcxx::team& team, entry when);

  void arrive(std::unique_ptr<arrived_call> call);
  void count_sent() noexcept { ++sent_; }
  void count_served() noexcept { ++served_; }
  /// Without one operation, that of the caller.
  call_counts call_counts_now() const noexcept;

  /// Poisons what is pending. Polling has stopped. Any thread.
  void fail(std::exception_ptr why) noexcept override;

 private:
  struct queued_collective {
    std::unique_ptr<operation> is;
    const ::upcxx::team* team;
    entry when;
  };

  std::size_t poll() override;
  bool may_never_end() const noexcept override { return pending() <= 1; }  // it listens
  void begin_collectives();
  operation& track(std::unique_ptr<operation> o);  // as add, if it is counted already

  const counted_operations counts_;
  std::mutex inside_;  // held with the master persona; guards all but the atomic members
  std::atomic<bool> open_{false};
  future<void> done_;
  std::vector<std::unique_ptr<operation>> pending_operations_, ended_;
  std::vector<std::unique_ptr<arrived_call>> arrived_;
  std::deque<queued_collective> collectives_;
  bool barrier_has_begun_ = false, all_have_arrived_ = false;  // of the first collective call
  std::uint64_t sent_ = 0, served_ = 0;
};

}  // namespace upcxx_detail
}  // namespace stretto
