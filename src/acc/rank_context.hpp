// rank_context.hpp - what OpenACC is for one rank: its accelerator, the data there, its queues and settings.
//
// Threads     any thread of the rank.
// Memory      lives from the rank's first use of OpenACC to the end of its program.
#pragma once

#include <stretto_acc/openacc.h>

#include <memory>

#include "acc/accelerator.hpp"
#include "acc/activity_queues.hpp"
#include "acc/data_environment.hpp"
#include "acc/host_accelerator.hpp"

namespace stretto::acc {

class rank_context {
 public:
  explicit rank_context(std::unique_ptr<accelerator> on);

  /// Of the calling thread's rank.
  static rank_context& current();
  /// Waits for the queues of the calling thread's rank, and forgets the rank.
  static void end_current();

  accelerator& device() noexcept { return *device_; }
  /// For regions that run on the host by their clauses.
  accelerator& host() noexcept { return host_; }
  data_environment& data() noexcept { return data_; }
  activity_queues& queues() noexcept { return queues_; }

  /// Does what the data asks for behind a queue's operations; without a queue before the call returns.
  void perform(queue_number queue, const char* where, data_work work);
  /// Of an argument of async: the default queue for acc_async_noval and acc_async_default, none for acc_async_sync.
  /// None at all with STRETTO_ACC_QUEUES=0.
  queue_number queue_of(int asked) const noexcept;
  int default_queue() const noexcept { return default_queue_; }
  void set_default_queue(int queue) noexcept;

 private:
  const std::unique_ptr<accelerator> device_;
  host_accelerator host_{false};
  data_environment data_{*device_};
  const bool has_queues_;
  int default_queue_ = 0;
  activity_queues queues_;  // its operations use the others
};

}  // namespace stretto::acc
