// schedule_run.hpp - executes a schedule: begins its transfers through a port and goes on as they complete.
//
// Threads     start and advance: one thread at a time. complete: any thread, also while another one advances, once for
//             each transfer. The thread that sees `true` from complete, or a rank that it wakes, calls advance next.
// Memory      what happened before complete() is visible to the steps after the wait for the transfer.
// Cost        complete: one atomic exchange; a wait that need not suspend: one load.
// Invariants  (1) complete returns true only while the run is suspended, and then exactly once before the next advance.
//             (2) a run that has ended touches nothing of itself or of its schedule any more.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "ranks/collectives/schedule.hpp"
#include "ranks/error_class.hpp"

namespace stretto::ranks {

class schedule_run;

/// A message of a schedule, as it is sent or received.
struct schedule_transfer {
  peer_rank peer;
  int tag = 0;
  data_part data;
  schedule_run* run = nullptr;  // of which complete(number) is called once
  transfer_number number = 0;
};

/// Begins transfers: messages for the ranks of a communicator, in its context for collectives. Messages with equal
/// sender, receiver and tag arrive in the order in which they are sent.
class transfer_port {
 public:
  virtual ~transfer_port() = default;
  /// May call complete at once.
  virtual void post_send(const schedule_transfer& transfer) = 0;
  virtual void post_receive(const schedule_transfer& transfer) = 0;
};

class schedule_run {
 public:
  explicit schedule_run(transfer_port& port) : port_(&port) {}
  schedule_run(const schedule_run&) = delete;
  schedule_run& operator=(const schedule_run&) = delete;

  /// Begins to execute a schedule, which must live until the end; returns whether it has ended already. A run may be
  /// started again once it has ended: persistent collectives keep their tag, for messages stay in order.
  bool start(const schedule& steps, int tag);
  /// Executes steps until one waits for a transfer; returns whether the run has ended.
  bool advance();
  /// A transfer has ended; returns whether the run waits for it: then advance must be called.
  bool complete(transfer_number number, error_class error = error_class::success);

  bool has_ended() const { return has_ended_.load(std::memory_order_acquire); }
  /// The first error that a transfer completed with. The run goes on after errors, so that no other rank waits for it.
  error_class error() const { return static_cast<error_class>(error_.load(std::memory_order_acquire)); }

 private:
  enum transfer_state : std::uint8_t { pending, completed, awaited };

  void execute(const transfer_step& step);
  bool try_pass(const wait_step& step);
  std::atomic<std::uint8_t>& state(transfer_number number) {
    return more_states_ ? more_states_[number] : few_[number];
  }
  void reset_states(transfer_number transfers);

  static constexpr transfer_number inline_transfers = 24;

  transfer_port* const port_;

  // Only who advances
  const schedule* schedule_ = nullptr;
  int tag_ = 0;
  std::size_t next_ = 0;              // step
  transfer_number next_awaited_ = 0;  // in the wait step where the run is suspended
  bool is_in_wait_ = false;

  // Shared with threads that complete transfers
  std::atomic<std::uint8_t> few_[inline_transfers] = {};
  std::unique_ptr<std::atomic<std::uint8_t>[]> more_states_;
  transfer_number capacity_ = inline_transfers;
  std::atomic<int> error_ = 0;
  std::atomic<bool> has_ended_ = true;
};

/// The tag of a message: those of the two sides of an intercommunicator differ, whose ranks have the same numbers.
constexpr int message_tag(int tag, group_side side) { return tag * 2 + static_cast<int>(side); }

}  // namespace stretto::ranks
