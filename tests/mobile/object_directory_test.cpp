// The directory of one node and the costs of its local objects, without a runtime or other nodes.
#include "mobile/object_directory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "mobile/load_measurement.hpp"

namespace stretto::mobiles {
namespace {

local_object& add_local(object_directory& objects, object_id id) {
  auto& e = objects.shard_of(id).all[id];
  e.local = std::make_unique<local_object>(id, nullptr, "", first_epoch, 0);
  return *e.local;
}

std::vector<object_id> local_ids(object_directory& objects) {
  std::vector<object_id> found;
  objects.for_each_local([&](const local_object& o) { found.push_back(o.id); });
  std::ranges::sort(found);
  return found;
}

TEST_CASE("the directory knows which objects are here, and the names of others") {
  object_directory objects;
  for (const int id : {1, 2, 200}) add_local(objects, object_id(id));
  objects.shard_of(object_id{3}).all[object_id{3}].name = "elsewhere";
  CHECK(objects.is_here(object_id{200}));
  CHECK_FALSE(objects.is_here(object_id{3}));
  CHECK_FALSE(objects.is_here(object_id{4}));
  CHECK(objects.name_of(object_id{3}) == "elsewhere");
  CHECK(objects.name_of(object_id{4}).empty());
  CHECK(local_ids(objects) == std::vector{object_id{1}, object_id{2}, object_id{200}});
  int entries = 0;
  objects.for_each([&](object_id, object_entry&) { return ++entries < 2; });
  CHECK(entries == 2);
  objects.clear();
  CHECK(local_ids(objects).empty());
  CHECK(objects.name_of(object_id{3}) == "elsewhere");
}

TEST_CASE("counts of the shards are added up, but the most hops are the highest") {
  object_directory objects;
  objects.shard_of(object_id{1}).counters = {.objects = 1, .near = 2, .far = 3, .passed_on = 4, .most_hops = 5};
  objects.shard_of(object_id{2}).counters = {
      .objects = 1, .near = 2, .far = 3, .most_hops = 4, .moved_in = 6, .moved_out = 7};
  objects.shard_of(object_id{2}).ended = 8;
  const mobile_statistics all = objects.statistics();
  CHECK(all.objects == 2);
  CHECK(all.near == 4);
  CHECK(all.far == 6);
  CHECK(all.passed_on == 4);
  CHECK(all.most_hops == 5);
  CHECK(all.moved_in == 6);
  CHECK(all.moved_out == 7);
  CHECK(objects.messages_begun() == 10);
  CHECK(objects.messages_ended() == 8);
}

TEST_CASE("messages are numbered, and all are answered when the last one is") {
  object_entry e;
  struct {
    std::uint64_t number = 0, answered_below = 0;
  } first, second, third;
  e.number_message(first);
  e.number_message(second);
  CHECK(second.number == 1);
  CHECK(second.answered_below == 0);
  e.count_reply();
  CHECK(e.answered_below == 0);
  e.count_reply();
  CHECK(e.answered_below == 2);
  e.count_reply();  // of a message that nobody has numbered
  e.number_message(third);
  CHECK(third.number == 2);
  CHECK(third.answered_below == 2);
}

TEST_CASE("a report has the cost of the chosen objects since the last one, and of the others as background") {
  object_directory objects;
  load_measurement load;
  local_object &a = add_local(objects, object_id{1}), &b = add_local(objects, object_id{2});
  CHECK_FALSE(load.is_on());
  load.apply_to(a);
  CHECK_FALSE(a.is_measured);
  load.begin(objects, 1000, 0.5);
  CHECK(a.is_measured);
  load.add(a, 4);
  load.add(b, 6);
  load_report row = load_measurement::report(objects, {.speed = 3, .objects = {}}, object_id{1}, 1);
  REQUIRE(row.objects.size() == 1);
  CHECK(row.objects[0].id == object_id{1});
  CHECK(row.objects[0].seconds == 2);
  CHECK(row.background == 3);
  CHECK(row.speed == 3);
  load.add(a, 2);
  row = load_measurement::report(objects, {}, object_id{1}, 1);
  CHECK(row.objects[0].seconds == 1);
  CHECK(row.background == 0);
  local_object& later = add_local(objects, object_id{3});
  load.apply_to(later);
  CHECK(later.is_measured);
}

TEST_CASE("a windowed report has the costs of two windows, which the caller begins") {
  using step = load_measurement::window_step;
  object_directory objects;
  load_measurement load;
  local_object& a = add_local(objects, object_id{1});
  load.begin(objects, 1000, 0.5);
  load.add(a, 4);
  load_report row = load.windowed_report(objects, {}, step::begin_next, 1010);
  CHECK(row.window == 5);
  CHECK(row.objects.at(0).seconds == 2);
  load.add(a, 2);
  row = load.windowed_report(objects, {}, step::begin_next, 1020);
  CHECK(row.window == 10);
  CHECK(row.objects.at(0).seconds == 3);
  row = load.windowed_report(objects, {}, step::continue_window, 1030);
  CHECK(row.window == 10);
  CHECK(row.objects.at(0).seconds == 1);
}

}  // namespace
}  // namespace stretto::mobiles
