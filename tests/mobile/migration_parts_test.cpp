// The parts of the protocol that make objects migrate, each alone on one node of a job: what the home node grants, when
// an object leaves, and what the failure of a node changes.
#include <doctest/doctest.h>

#include <utility>

#include "mobile/failure_recovery.hpp"
#include "mobile/lone_node.hpp"
#include "mobile/migration_departure.hpp"
#include "mobile/migration_grants.hpp"
#include "mobile/object_removal.hpp"

namespace stretto::mobiles {
namespace {

struct home_node : lone_node {
  home_node() : lone_node(4), grants(homes, directory, done) {}
  migration_grants grants;
};

TEST_CASE("the home node grants a migration, and knows the new location at once") {
  home_node h;
  const object_id id = h.id_of(0, 1);
  object_entry& e = h.at_home(id, 1);
  h.grants.on(1, migration_request{id, 2});
  const auto* const granted = h.done.next<migration_decision>(1);
  REQUIRE(granted);
  CHECK(granted->granted_epoch == migration_epoch{2});
  CHECK(e.location == 2);
  CHECK(e.home->is_moving);
  h.grants.on(2, object_arrived{id, migration_epoch{1}});  // of an earlier migration
  CHECK(e.home->is_moving);
  h.grants.on(2, object_arrived{id, migration_epoch{2}});
  CHECK_FALSE(e.home->is_moving);
  CHECK(h.done.is_empty());
}

TEST_CASE("a pinned message blocks a migration until it has arrived; then messages that waited are delivered") {
  home_node h;
  const object_id id = h.id_of(0, 1);
  object_entry& e = h.at_home(id, 1);
  e.home->pinned[1] = 2;
  h.grants.on(1, migration_request{id, 3});
  e.home->blocked.push_back(h.message_of(2, id, 0));
  h.grants.on(1, pinned_message_arrived{id});
  CHECK(h.done.is_empty());
  h.grants.on(1, pinned_message_arrived{id});
  const auto* const granted = h.done.next<migration_decision>(1);
  REQUIRE(granted);
  CHECK(granted->granted_epoch == migration_epoch{2});
  CHECK(e.location == 3);
  CHECK(h.done.delivered.size() == 1);
}

TEST_CASE("the home node denies a migration to a failed node, and of an object that it does not know") {
  home_node h;
  h.fail_node(2);
  const object_id id = h.id_of(0, 1);
  h.at_home(id, 1);
  h.grants.on(1, migration_request{id, 2});
  const auto* denied = h.done.next<migration_decision>(1);
  REQUIRE(denied);
  CHECK_FALSE(denied->granted_epoch);
  h.grants.on(3, migration_request{h.id_of(0, 9), 1});
  denied = h.done.next<migration_decision>(3);
  REQUIRE(denied);
  CHECK_FALSE(denied->granted_epoch);
}

TEST_CASE("a cancelled migration returns the object to its source, and tells the destination") {
  home_node h;
  const object_id id = h.id_of(0, 1);
  object_entry& e = h.at_home(id, 1);
  h.grants.on(1, migration_request{id, 2});
  h.done.sent.clear();
  h.grants.on(1, cancellation_request{id});
  CHECK(e.location == 1);
  CHECK(e.epoch == migration_epoch{3});
  CHECK_FALSE(e.home->is_moving);
  CHECK(h.done.next<migration_cancelled>(1));
  const auto* const found = h.done.next<location_update>(2);
  REQUIRE(found);
  CHECK(found->location == 1);
}

TEST_CASE("messages that wait at the home node for a migration are delivered again if the object is destroyed first") {
  home_node h;
  quiescence_detection quiescence(nullptr, [] { return message_counts(); });
  object_removal removal(h.homes, h.directory, h.failures, quiescence, h.done);
  const object_id id = h.id_of(0, 1);
  object_entry& e = h.at_home(id, 1);
  e.home->pinned[1] = 1;
  h.grants.on(1, migration_request{id, 3});
  e.parked.push_back(h.message_of(2, id, 4));
  e.home->blocked.push_back(h.message_of(2, id, 5));
  removal.on(1, object_destroyed{id});
  REQUIRE(h.done.delivered.size() == 2);
  CHECK(std::uint64_t{h.done.delivered[0]->number} == 4);
  CHECK(std::uint64_t{h.done.delivered[1]->number} == 5);
  CHECK(h.directory.shard_of(id).find(id) == nullptr);
  CHECK(h.done.next<object_destroyed>(1));
}

/// A node with an object of node 1.
struct source_node : lone_node {
  source_node()
      : lone_node(4),
        quiescence(nullptr, [] { return message_counts(); }),
        replies(homes, directory, local, quiescence, done),
        departure({&job, homes, directory, failures, counters, local, replies, done}, nullptr),
        grants(homes, directory, done),
        recovery(homes, directory, failures, local, grants, replies, done),
        id(id_of(1, 5)),
        o(make_local(id)) {}
  ~source_node() {
    if (entry(id).local)
      for (message* const m : o.pending_migrations()) delete static_cast<remote_message*>(m);
    directory.clear();
  }
  void order(rank target) {
    o.pending_migrations().push_back(order_of(3, id, target).release());
    deferred_actions actions;
    local.advance(o, actions);
    done.run(actions);
  }
  quiescence_detection quiescence;
  message_counters counters;
  object_replies replies;
  migration_departure departure;
  migration_grants grants;
  failure_recovery recovery;
  const object_id id;
  local_object& o;
};

TEST_CASE("an object asks its home node, and is written when no handler uses it any more") {
  source_node s;
  s.o.acquire_exclusively();
  s.order(2);
  const auto* const asked = s.done.next<migration_request>(1);
  REQUIRE(asked);
  CHECK(asked->destination == 2);
  CHECK(s.o.is_leaving);
  s.departure.on(1, migration_decision{s.id, migration_epoch{7}});
  CHECK(s.o.is_migration_granted);
  CHECK(s.o.epoch == migration_epoch{7});
  CHECK_FALSE(s.done.packed);
  s.o.release(false);
  deferred_actions actions;
  s.local.advance(s.o, actions);
  s.done.run(actions);
  CHECK(s.done.packed == &s.o);
}

TEST_CASE("a migration to this node ends at once, and one to a failed node fails") {
  source_node s;
  s.order(0);
  REQUIRE(s.done.ended.size() == 1);
  CHECK_FALSE(s.done.ended[0].has_failed);
  s.fail_node(2);
  s.order(2);
  REQUIRE(s.done.ended.size() == 2);
  CHECK(s.done.ended[1].has_failed);
  CHECK(s.done.sent.empty());
  CHECK_FALSE(s.o.is_leaving);
}

TEST_CASE("a denied migration fails, and the object goes on") {
  source_node s;
  s.order(2);
  s.done.sent.clear();
  s.o.waiting().push(*lone_node::message_of(3, s.id, 0).release());
  s.departure.on(1, migration_decision{s.id, {}});
  CHECK_FALSE(s.o.is_leaving);
  REQUIRE(s.done.ended.size() == 1);
  CHECK(s.done.ended[0].has_failed);
  CHECK(s.done.begun.size() == 1);
}

TEST_CASE("the loss of the destination cancels a granted migration") {
  source_node s;
  s.o.acquire_exclusively();
  s.order(2);
  s.departure.on(1, migration_decision{s.id, migration_epoch{7}});
  s.done.sent.clear();
  s.fail_node(2);
  deferred_actions actions;
  s.recovery.on_node_failed(2, actions);
  s.done.run(actions);
  CHECK_FALSE(s.o.is_migration_granted);
  CHECK(s.done.next<resend_request>(1));
  CHECK(s.done.next<cancellation_request>(1));
  s.departure.on(1, migration_cancelled{s.id, migration_epoch{8}});
  CHECK(s.o.epoch == migration_epoch{8});
  CHECK_FALSE(s.o.is_leaving);
  REQUIRE(s.done.ended.size() == 1);
  CHECK(s.done.ended[0].has_failed);
}

TEST_CASE("decisions and cancellations of a migration that the object has not asked for change nothing") {
  source_node s;
  s.departure.on(1, migration_cancelled{s.id, migration_epoch{8}});
  s.departure.on(1, migration_decision{s.id, {}});
  s.departure.on(1, migration_decision{s.id, migration_epoch{9}});
  CHECK(s.o.epoch == first_epoch);
  CHECK_FALSE(s.o.is_migration_granted);
  CHECK(s.done.is_empty());
}

TEST_CASE("the loss of the home node ends a migration that it has not granted") {
  source_node s;
  s.order(2);
  s.done.sent.clear();
  s.fail_node(1);
  deferred_actions actions;
  s.recovery.on_node_failed(1, actions);
  s.done.run(actions);
  CHECK_FALSE(s.o.is_leaving);
  REQUIRE(s.done.ended.size() == 1);
  CHECK(s.done.ended[0].has_failed);
}

TEST_CASE("a recall stops a migration that has not begun to leave, and says so if it has") {
  source_node s;
  s.o.acquire_exclusively();
  s.order(2);
  s.departure.on(1, migration_decision{s.id, migration_epoch{7}});
  s.done.sent.clear();
  s.recovery.on(1, recall{s.id, migration_epoch{8}});
  CHECK(s.done.next<already_departed>(1));
  s.recovery.on(1, recall{s.id, migration_epoch{7}});
  CHECK_FALSE(s.o.is_migration_granted);
  CHECK(s.done.next<not_departed>(2));
  CHECK(s.done.next<cancellation_request>(1));
}

TEST_CASE("the home node gives up an object with its node, fails what waits for it, and tells all others") {
  source_node s;
  const object_id id = s.id_of(0, 1);
  object_entry& e = s.at_home(id, 2);
  e.parked.push_back(s.message_of(3, id, 4));
  e.home->blocked.push_back(s.message_of(3, id, 5));
  s.fail_node(2);
  deferred_actions actions;
  s.recovery.on_node_failed(2, actions);
  s.done.run(actions);
  CHECK(e.loss);
  REQUIRE(s.done.ended.size() == 2);
  CHECK(s.done.ended[0].number == 4);
  CHECK(s.done.ended[1].number == 5);
  std::vector<rank> found;
  for (const auto& n : s.done.sent)
    if (std::holds_alternative<object_lost>(n.what)) found.push_back(n.to);
  CHECK(found == std::vector<rank>{1, 3});
}

TEST_CASE("an object may have stayed when the destination of its migration fails: the home node recalls it") {
  source_node s;
  const object_id id = s.id_of(0, 1);
  object_entry& e = s.at_home(id, 3);
  s.grants.on(3, migration_request{id, 2});
  s.done.sent.clear();
  s.fail_node(2);
  deferred_actions actions;
  s.recovery.on_node_failed(2, actions);
  for (const auto& n : actions.send)
    if (std::holds_alternative<recall>(n.what))
      CHECK(n.to == 3), CHECK(std::get<recall>(n.what).epoch == migration_epoch{2});
  CHECK_FALSE(e.loss);
  s.done.run(actions);
  s.recovery.on(3, already_departed{id, migration_epoch{2}});
  CHECK(e.loss);
}

}  // namespace
}  // namespace stretto::mobiles
