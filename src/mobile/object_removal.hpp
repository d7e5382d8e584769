// object_removal.hpp - the end of an object: its destroy message has been reached, or its construction has failed.
//
// Threads     Any. on: inside a poll.
#pragma once

#include "mobile/local_objects.hpp"
#include "mobile/quiescence_detection.hpp"

namespace stretto::mobiles {

/// The sender of a message that has been handled.
enum class message_origin : std::uint8_t { this_node, other_node };

class object_removal {
 public:
  object_removal(const home_nodes& homes, object_directory& directory, const object_failures& failures,
                 quiescence_detection& quiescence, action_runner& runner) noexcept
      : homes_(homes), directory_(directory), failures_(failures), quiescence_(quiescence), runner_(runner) {}

  /// The destroy message has been reached: destroys the object and fails its waiting messages.
  void destroy(local_object& o, message_origin of) noexcept;
  void construction_failed(local_object& o, const failure_ref& cause);

  void on(rank from, const object_destroyed& m);

 private:
  /// Requires the lock of the shard. Messages that wait in the entry are delivered again, so that their senders learn
  /// that the object is destroyed; the home node notifies the nodes that may have an entry.
  void erase_entry(object_directory::shard& s, object_id id, object_entry& e, deferred_actions& actions) const;

  const home_nodes& homes_;
  object_directory& directory_;
  const object_failures& failures_;
  quiescence_detection& quiescence_;
  action_runner& runner_;
};

}  // namespace stretto::mobiles
