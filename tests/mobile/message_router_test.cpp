// Routing alone, on one node of a job: where messages go by what the directory knows.
#include "mobile/message_router.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "mobile/lone_node.hpp"
#include "mobile/object_removal.hpp"

namespace stretto::mobiles {
namespace {

using decision = message_router::decision;

std::uint64_t number_of(const remote_message& msg) { return msg.number; }

struct routing_node : lone_node {
  routing_node()
      : lone_node(4),
        quiescence(nullptr, [] { return message_counts(); }),
        replies(homes, directory, local, quiescence, done),
        router({&job, homes, directory, failures, counters, local, replies, done}),
        removal(homes, directory, failures, quiescence, done) {}
  ~routing_node() {
    deferred_actions last;
    directory.for_each([&](object_id, object_entry& e) {
      if (e.local) local_objects::fail_all_messages(*e.local, e, {}, last);
      return true;
    });
    done.run(last);
    directory.clear();
  }
  decision route(const remote_message& msg) { return router.decide_route(msg); }
  void deliver(rank from, object_id to, std::uint64_t number, std::uint8_t hops = 1) {
    auto msg = message_of(from, to, number);
    msg->routing.hops = hops;
    router.deliver(std::move(msg));
  }
  quiescence_detection quiescence;
  message_counters counters;
  object_replies replies;
  message_router router;
  object_removal removal;
};

TEST_CASE("a message goes to the last known location, or to the home node") {
  routing_node n;
  const object_id id = n.id_of(1, 5);
  auto msg = n.message_of(0, id, 0);
  CHECK(n.route(*msg).what == decision::forward);
  CHECK(n.route(*msg).to == 1);
  CHECK_FALSE(n.route(*msg).is_location_known);
  n.entry(id).place(3, migration_epoch{4});
  CHECK(n.route(*msg).to == 3);
  CHECK(n.route(*msg).routing.epoch == migration_epoch{4});
  CHECK(n.route(*msg).is_location_known);
  msg->routing.hops = message_router::max_forwards;
  CHECK(n.route(*msg).to == 1);
  msg->routing.hops = 1;
  msg->routing.avoid = 3;
  CHECK(n.route(*msg).to == 1);
}

TEST_CASE("a forwarded message is counted, and its sender learns the location") {
  routing_node n;
  const object_id id = n.id_of(1, 5);
  n.entry(id).place(3, migration_epoch{4});
  n.deliver(2, id, 0);
  REQUIRE(n.done.forwarded.size() == 1);
  CHECK(n.done.forwarded[0].to == 3);
  const auto* const found = n.done.next<location_update>(2);
  REQUIRE(found);
  CHECK(found->location == 3);
  CHECK(found->epoch == migration_epoch{4});
  CHECK(n.router.forwarded().senders_to(3) == std::vector<rank>{2});
  CHECK(n.directory.statistics().passed_on == 1);
}

TEST_CASE("the home node pins an object for a message that was forwarded too often, but not one that is to move") {
  routing_node n;
  const object_id id = n.id_of(0, 5);
  object_entry& e = n.at_home(id, 2);
  n.deliver(3, id, 0, message_router::max_forwards);
  REQUIRE(n.done.forwarded.size() == 1);
  CHECK(n.done.forwarded[0].routing.pins_object);
  CHECK(e.home->pinned.at(2) == 1);
  e.home->requested_destination = 1;
  n.deliver(3, id, 1, message_router::max_forwards);
  CHECK(n.done.forwarded.size() == 1);
  CHECK(e.home->blocked.size() == 1);
}

TEST_CASE("a message that comes before its object waits until the location changes") {
  routing_node n;
  const object_id id = n.id_of(1, 5);
  auto msg = n.message_of(2, id, 0);
  msg->routing = {.epoch = migration_epoch{3}, .hops = 1};
  n.router.deliver(std::move(msg));
  CHECK(n.entry(id).parked.size() == 1);
  CHECK(n.done.next<location_query>(1));
  n.router.on(1, location_update{id, 2, migration_epoch{2}});  // older than the message knows
  CHECK(n.done.delivered.empty());
  n.router.on(1, location_update{id, 2, migration_epoch{3}});
  CHECK(n.done.delivered.size() == 1);
  CHECK(n.entry(id).parked.empty());
}

TEST_CASE("an object accepts the messages of a node in their order, each once") {
  routing_node n;
  const object_id id = n.id_of(1, 5);
  local_object& o = n.make_local(id);
  n.deliver(2, id, 1);
  CHECK(n.done.begun.empty());
  n.deliver(2, id, 0);
  REQUIRE(n.done.begun.size() == 1);
  CHECK(number_of(*n.done.begun[0]) == 0);
  n.deliver(2, id, 0);
  o.release(false);
  deferred_actions actions;
  n.local.advance(o, actions);
  n.done.run(actions);
  REQUIRE(n.done.begun.size() == 2);
  CHECK(number_of(*n.done.begun[1]) == 1);
  o.release(false);
}

TEST_CASE("messages to a destroyed object fail, and the nodes that know it are notified") {
  routing_node n;
  const object_id id = n.id_of(0, 5);
  n.at_home(id, 2);
  n.removal.on(2, object_destroyed{id});
  CHECK(n.done.next<object_destroyed>(2));
  CHECK(n.directory.shard_of(id).find(id) == nullptr);
  n.deliver(3, id, 7);
  REQUIRE(n.done.ended.size() == 1);
  CHECK(n.done.ended[0].number == 7);
  CHECK(n.done.ended[0].has_failed);
  n.router.on(3, location_query{id});
  CHECK(n.done.next<object_destroyed>(3));
}

TEST_CASE("when the home node has failed, this node's messages fail and others return to their sender") {
  routing_node n;
  const object_id id = n.id_of(1, 5);
  n.fail_node(1);
  CHECK(n.route(*n.message_of(0, id, 0)).what == decision::reject);
  n.deliver(2, id, 0);
  const auto* const asked = n.done.next<resend_request>(2);
  REQUIRE(asked);
  CHECK(asked->object == id);
  CHECK(asked->node == 2);
}

TEST_CASE("a message that this node has no memory for keeps its number, without arguments") {
  routing_node n;
  const object_id id = n.id_of(1, 5);
  local_object& o = n.make_local(id);
  n.router.reject(n.message_of(2, id, 0), *n.failures.destroyed(id, "").get());
  REQUIRE(n.done.ended.size() == 1);
  CHECK(n.done.ended[0].has_failed);
  CHECK(o.sender(2).next == 1);
}

}  // namespace
}  // namespace stretto::mobiles
