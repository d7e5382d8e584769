// rank_context.hpp - what OpenACC is for one rank: its accelerator, the data there, its queues and settings.
//
// Threads     any thread of the rank.
// Memory      lives from the rank's first use of OpenACC to the end of its program.
#pragma once

#include <stretto_acc/openacc.h>

#include <functional>
#include <memory>

#include "acc/accelerator.hpp"
#include "acc/activity_queues.hpp"
#include "acc/data_environment.hpp"

namespace stretto::acc {

class rank_context {
 public:
  explicit rank_context(std::unique_ptr<accelerator> on);

  /// Of the calling thread's rank.
  static rank_context& current();
  /// Waits for the queues of the calling thread's rank, and forgets the rank.
  static void end_current();

  accelerator& device() noexcept { return *device_; }
  data_environment& data() noexcept { return data_; }
  activity_queues& queues() noexcept { return queues_; }

  /// Runs `work` behind a queue's operations, or at once for acc_async_sync.
  void run(int queue, std::function<void()> work);
  void perform(int queue, transfers all);
  /// The number of a queue: the default one for acc_async_noval and acc_async_default.
  int queue_number(int asked) const noexcept;
  void set_default_queue(int queue) noexcept;

 private:
  const std::unique_ptr<accelerator> device_;
  data_environment data_{*device_};
  int default_queue_ = 0;
  activity_queues queues_;  // its operations use the others
};

}  // namespace stretto::acc
