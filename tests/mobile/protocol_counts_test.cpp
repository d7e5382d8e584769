// Parts of the protocol of mobile objects that have state and no messages, each alone: counts, ids and their home
// nodes, random destinations, the pause for a checkpoint, forwarded messages.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "mobile/checkpoint_pause.hpp"
#include "mobile/forwarded_messages.hpp"
#include "mobile/home_nodes.hpp"
#include "mobile/message_counters.hpp"
#include "mobile/random_destinations.hpp"

namespace stretto::mobiles {
namespace {

TEST_CASE("messages that no shard counts are added to those of the directory") {
  object_directory objects;
  message_counters c;
  CHECK(c.totals(objects) == message_counts{});
  c.message_begun();
  c.message_begun();
  c.message_ended();
  objects.shard_of(object_id{1}).counters.near = 3;
  objects.shard_of(object_id{2}).counters.far = 4;
  objects.shard_of(object_id{2}).ended = 5;
  c.remote_handler_begun();
  CHECK(c.totals(objects) == message_counts{.begun = 9, .ended = 6, .handling = 1});
  c.remote_handler_ended();
  CHECK(c.remote_handlers() == 0);
}

TEST_CASE("messages between nodes and deferred sends are counted by themselves") {
  message_counters c;
  c.protocol_message_sent();
  c.protocol_message_sent();
  c.protocol_message_received();
  c.broadcast_message_sent();
  c.count_deferred(1);
  c.count_deferred(1);
  c.count_deferred(-1);
  CHECK(c.protocol_messages_sent() == 2);
  CHECK(c.protocol_messages_received() == 1);
  CHECK(c.broadcast_messages_sent() == 1);
  CHECK(c.deferred_sends() == 1);
  CHECK(c.begun() == 0);
}

TEST_CASE("ids count up, and name their home node") {
  home_nodes homes(nullptr);
  homes.start(7);
  const object_id first = homes.reserve_ids(3), next = homes.reserve_ids(1);
  CHECK(next == id_after(first, 3));
  CHECK(maker_of(first) == 7);
  CHECK(count_of(next) == 4);
  CHECK(index_of(next, first) == 3);
  CHECK(homes.home_of(first) == 0);
  CHECK(homes.nodes() == 1);
  CHECK_FALSE(homes.is_lost(0));
  CHECK(homes.home_of(id_of(8, 1)) == no_rank);
  CHECK(homes.ids_made() == 4);
}

TEST_CASE("restored node numbers have home nodes, and no id is made twice") {
  home_nodes homes(nullptr);
  homes.start(7);
  homes.restore({{3, 0}, {4, 0}}, 100);
  CHECK(homes.home_of(id_of(3, 1)) == 0);
  CHECK(homes.home_of(id_of(5, 1)) == no_rank);
  CHECK(homes.reserve_ids(1) == id_of(7, 101));
  CHECK(homes.all() == std::map<std::uint16_t, rank>{{3, 0}, {4, 0}, {7, 0}});
  homes.restore({{5, 0}}, 0);
  CHECK(homes.home_of(id_of(3, 1)) == no_rank);
  CHECK(homes.ids_made() == 101);
}

TEST_CASE("random destinations repeat with the seed, and come as often as asked") {
  random_destinations off;
  CHECK_FALSE(off.is_on());
  random_destinations a, b, always;
  a.start(5, 30, 1);
  b.start(5, 30, 1);
  always.start(5, 100, 1);
  CHECK(a.is_on());
  int drawn = 0;
  std::set<rank> found;
  for (int i = 0; i < 1000; ++i) {
    const auto to = a.draw(4);
    CHECK(to == b.draw(4));
    CHECK(always.draw(4).has_value());
    if (to) ++drawn, found.insert(*to);
  }
  CHECK(drawn > 200);
  CHECK(drawn < 400);
  CHECK(found == std::set<rank>{0, 1, 2, 3});
}

TEST_CASE("one node at a time takes checkpoints, and the node that has paused another one resumes it") {
  checkpoint_pause p;
  CHECK(p.try_reserve(2));
  CHECK_FALSE(p.try_reserve(3));
  p.release(3);
  CHECK_FALSE(p.try_reserve(3));
  p.release(2);
  CHECK(p.try_reserve(3));
  CHECK_FALSE(p.is_paused());
  CHECK_FALSE(p.try_resume(3));
  p.pause(3);
  CHECK(p.is_paused());
  CHECK_FALSE(p.try_resume(2));
  CHECK(p.is_paused());
  CHECK(p.try_resume(3));
  CHECK_FALSE(p.is_paused());
  CHECK_FALSE(p.try_resume(3));
}

TEST_CASE("the senders of messages that were forwarded to a node are known, each once") {
  forwarded_messages f;
  CHECK(f.senders_to(1).empty());
  f.record(1, 5);
  f.record(1, 4);
  f.record(1, 5);
  f.record(2, 6);
  CHECK(f.senders_to(1) == std::vector<rank>{4, 5});
  CHECK(f.senders_to(2) == std::vector<rank>{6});
}

}  // namespace
}  // namespace stretto::mobiles
