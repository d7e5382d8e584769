// failure_recovery.hpp - a node fails: finds the objects that fail with it, and what is left of a migration that it
// took part in.
//
// An object is lost with the node where it is, and with the source or destination of a migration under way. A node that
// has lost contact with an object's home node, or with the node where the object is, has lost the object for good.
//
// Threads     Inside a poll.
#pragma once

#include "mobile/migration_grants.hpp"
#include "mobile/object_replies.hpp"

namespace stretto::mobiles {

class failure_recovery {
 public:
  failure_recovery(const home_nodes& homes, object_directory& directory, const object_failures& failures,
                   const local_objects& local, const migration_grants& grants, object_replies& replies,
                   action_runner& runner) noexcept
      : homes_(homes),
        directory_(directory),
        failures_(failures),
        local_(local),
        grants_(grants),
        replies_(replies),
        runner_(runner) {}

  /// Looks at all objects. The caller runs the actions.
  void on_node_failed(rank node, deferred_actions& actions);

  void on(rank from, const departure_query& m);
  void on(rank from, const not_departed& m);
  void on(rank from, const recall& m);
  void on(rank from, const already_departed& m);
  void on(rank from, const arrival_query& m);
  void on(rank from, const lost_in_transit& m) { on_loss_at(from, m.object, m.cause); }
  void on(rank from, const object_failed& m) {
    on_loss_at(from, m.object, failures_.of_object(m.object, directory_.name_of(m.object), *m.cause.get()));
  }
  void on(rank, const object_lost& m) { on_loss_at(no_rank, m.object, m.cause); }

 private:
  void on_home_failed(object_entry& e, object_id id, rank node, deferred_actions& actions) const;
  void on_host_failed(object_entry& e, object_id id, rank node, deferred_actions& actions) const;
  /// False if it has declared the loss of the object.
  bool keep_at_home(object_entry& e, object_id id, rank node, deferred_actions& actions) const;
  /// At the home node: no node has the object any more.
  void declare_lost(object_id id, object_entry& e, failure_ref cause, deferred_actions& actions) const;
  /// The object will arrive, or its source fails or has kept it.
  static void await_object(object_id id, object_entry& e, rank from, deferred_actions& actions);
  void report_lost_in_transit(object_id id, object_entry& e, rank from, deferred_actions& actions) const;
  void on_query_at_home(const arrival_query& m, object_entry& e, deferred_actions& actions) const;
  /// `location` no_rank: wherever the object was.
  void on_loss_at(rank location, object_id id, failure_ref cause);

  const home_nodes& homes_;
  object_directory& directory_;
  const object_failures& failures_;
  const local_objects& local_;
  const migration_grants& grants_;
  object_replies& replies_;
  action_runner& runner_;
};

}  // namespace stretto::mobiles
