// message_sender.hpp - sends the messages of this node's tasks: to local objects as tasks, to other objects by their
// last known location.
//
// Threads     Any.
// Cost        To a local object that is free: one lock.
#pragma once

#include <mutex>

#include "mobile/message_router.hpp"

namespace stretto::mobiles {

class message_sender {
 public:
  /// `j` is null in a runtime without a job.
  message_sender(dist::job* j, const home_nodes& homes, object_directory& directory, const local_objects& local,
                 object_replies& replies, message_router& router, action_runner& runner) noexcept
      : job_(j),
        homes_(homes),
        directory_(directory),
        local_(local),
        replies_(replies),
        router_(router),
        runner_(runner) {}

  /// `thread` null: looks the thread up; the record may have a priority. Throws, if at all, before anything is sent.
  void post(sched::task_record& record, void* thread, object_id to) {
    auto& s = directory_.shard_of(to);
    std::unique_lock hold(s.lock);
    object_entry* const e = s.find(to);
    if (e && e->local) [[likely]]
      return post_local(hold, s, *e, record, thread);
    hold.unlock();
    post_remote(s, record, to);
  }

 private:
  void post_local(std::unique_lock<base::spin_lock>& hold, object_directory::shard& s, object_entry& e,
                  sched::task_record& r, void* thread);
  void post_remote(object_directory::shard& s, sched::task_record& r, object_id to);

  dist::job* const job_;
  const home_nodes& homes_;
  object_directory& directory_;
  const local_objects& local_;
  object_replies& replies_;
  message_router& router_;
  action_runner& runner_;
};

}  // namespace stretto::mobiles
