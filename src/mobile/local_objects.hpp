// local_objects.hpp - what all parts of the protocol do with an object of this node: install it, let it begin messages
// or leave, cancel its migration, and fail its messages.
//
// Threads     Any. Every function requires the lock of the object's shard.
#pragma once

#include <memory>

#include "mobile/checkpoint_pause.hpp"
#include "mobile/deferred_actions.hpp"
#include "mobile/home_nodes.hpp"
#include "mobile/load_measurement.hpp"
#include "mobile/object_directory.hpp"
#include "mobile/object_failures.hpp"

namespace stretto::mobiles {

class local_objects {
 public:
  local_objects(const home_nodes& homes, const object_failures& failures, const load_measurement& load,
                const checkpoint_pause& pause) noexcept
      : homes_(homes), failures_(failures), load_(load), pause_(pause) {}

  /// Puts the object into its entry. It is measured, and paused for a checkpoint, as all local objects are at present.
  local_object& place(object_entry& e, std::unique_ptr<local_object> o) const;
  /// The same for an object that was made or restored here, and has not moved. `object` is the program's object.
  void place_new(object_directory::shard& s, std::unique_ptr<local_object> o, void* object) const;
  /// An object has arrived, or has come back after a rejection. If this node had given it up, returns that
  /// failure: the caller must then fail the unanswered messages of this node to the object.
  failure_ref install(object_directory::shard& s, object_entry& e, std::unique_ptr<local_object> o,
                      deferred_actions& actions) const;
  /// Begins the messages that may begin. Requests a migration that a message orders, and starts one that is granted.
  void advance(local_object& o, deferred_actions& actions) const;
  /// Ends the message that ordered the migration.
  static void complete_migration(local_object& o, failure_ref cause, deferred_actions& actions);
  /// The object stays, although the home node has granted the migration: asks the home node to cancel it.
  void cancel_migration(local_object& o, deferred_actions& actions) const;
  /// Fails all messages of the object. The caller owns the object.
  static void fail_all_messages(local_object& o, object_entry& e, const failure_ref& cause, deferred_actions& actions);

 private:
  const home_nodes& homes_;
  const object_failures& failures_;
  const load_measurement& load_;
  const checkpoint_pause& pause_;
};

}  // namespace stretto::mobiles
