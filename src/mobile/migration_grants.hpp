// migration_grants.hpp - the home node's part of a migration: it grants one migration of an object at a time, and none
// while the object is pinned.
//
// A message that was forwarded too often pins its object: the home node sends it to the object's location, and grants
// no migration until that node confirms the arrival. If a migration is requested meanwhile, further such messages wait
// at the home node until it is decided (home_record::blocked).
//
// Threads     on: inside a poll. unpin: any, with the lock of the object's shard.
// Source      Ours: a home node that orders migrations.
#pragma once

#include <cstdint>

#include "mobile/deferred_actions.hpp"
#include "mobile/home_nodes.hpp"
#include "mobile/object_directory.hpp"

namespace stretto::mobiles {

class migration_grants {
 public:
  migration_grants(const home_nodes& homes, object_directory& directory, action_runner& runner) noexcept
      : homes_(homes), directory_(directory), runner_(runner) {}

  /// `messages` of the messages that pin the object are no longer on their way to node `there`: they have arrived, or
  /// that node has failed.
  void unpin(object_id id, object_entry& e, rank there, std::uint32_t messages, deferred_actions& actions) const;

  void on(rank from, const migration_request& m);
  void on(rank from, const cancellation_request& m);
  void on(rank from, const object_arrived& m);
  void on(rank from, const pinned_message_arrived& m);

 private:
  static void grant(object_id id, object_entry& e, rank to, deferred_actions& actions);
  /// This node has lost contact with the destination, or the object has failed.
  static void deny(object_id id, object_entry& e, deferred_actions& actions);

  const home_nodes& homes_;
  object_directory& directory_;
  action_runner& runner_;
};

}  // namespace stretto::mobiles
