// object_checkpoints.hpp - pausing a node for a checkpoint: running handlers end, messages and objects under way
// arrive, and the objects are saved. While a node is paused for node `by`, it begins no handler of an object, and no
// object leaves it.
//
// A handler may wait for the result of another one. When nothing else makes progress, the messages that somebody waits
// for are released, with those queued before them. Then the node is paused again, and messages that these handlers send
// wait. So an exchange of messages that nobody waits for does not go on during the pause.
//
// Threads     Any. Locks one shard at a time.
#pragma once

#include <vector>

#include "mobile/message_counters.hpp"
#include "mobile/object_replies.hpp"
#include "mobile/saved_objects.hpp"

namespace stretto::mobiles {

class object_checkpoints {
 public:
  object_checkpoints(checkpoint_pause& pause, const home_nodes& homes, object_directory& directory,
                     const message_counters& counters, const local_objects& local, object_replies& replies,
                     action_runner& runner) noexcept
      : pause_(pause),
        homes_(homes),
        directory_(directory),
        counters_(counters),
        local_(local),
        replies_(replies),
        runner_(runner) {}

  /// False if another node has reserved the right to take checkpoints.
  bool try_reserve(rank by) noexcept;
  void release(rank by) noexcept { pause_.release(by); }
  void pause(rank by);
  void resume(rank by);
  /// The node that had reserved the right to take checkpoints, or had paused this one, may have failed.
  void on_node_failed(rank node) {
    release(node);
    resume(node);
  }

  /// How far this node has drained.
  pause_state current_state();
  /// Messages, waiting here or sent from here and unanswered, whose end something waits for.
  std::vector<awaited_message> awaited_messages();
  /// Begins these messages and those queued before them, or once all that wait; then migrates objects that are to move.
  void release_messages(const std::vector<awaited_message>& all);
  void release_all_messages();
  /// The local objects with their waiting messages. Requires that every node is drained.
  std::vector<saved_object> save_objects();

 private:
  template <class Choose>
  void release_where(Choose&& choose);
  saved_message save_message(message& msg) const;

  checkpoint_pause& pause_;
  const home_nodes& homes_;
  object_directory& directory_;
  const message_counters& counters_;
  const local_objects& local_;
  object_replies& replies_;
  action_runner& runner_;
};

}  // namespace stretto::mobiles
