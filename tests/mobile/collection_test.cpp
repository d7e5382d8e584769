// Collections on every node of a job: elements by index, broadcasts, reductions; and random programs over them against
// a serial model.
#include <doctest/doctest.h>

#include <stretto/collection.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "mobile/append_fold.hpp"
#include "mobile/node_failures.hpp"
#include "mobile/random_migration.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using namespace test;

struct cell {
  std::size_t index = 0;
  std::string trail;

  cell() = default;
  explicit cell(std::size_t i) : index(i) {}
  cell(std::size_t i, const std::string& start) : index(i), trail(start) {
    if (start == "bad" && i == 2) throw std::runtime_error("the third is bad");
  }
  void mark(const std::string& m) { trail += m; }
  std::string all() const { return trail; }
  std::size_t which() const { return index; }
  std::uint32_t where() const { return this_node(); }
  void refuse(std::size_t from) {
    if (index >= from) throw std::runtime_error("element " + std::to_string(index) + " refuses");
  }
  template <class Archive>
  friend void fields(Archive& a, archived<cell, Archive>& c) {
    a(c.index, c.trail);
  }
};

using test::appended;
std::vector<std::uint32_t> places_of(const collection<cell>& c) {
  return reduce(c, call<&cell::where>(), std::vector<std::uint32_t>(), appended<std::uint32_t>).get();
}

TEST_CASE("elements have an index and lie in blocks, or where a function places them") {
  on_all_nodes({.nodes = 3}, 2, [](runtime&) {
    if (this_node() != 0) return;
    const auto c = make_collection<cell>(7);
    CHECK(c.size() == 7);
    const auto indices = reduce(c, call<&cell::which>(), std::vector<std::size_t>(), appended<std::size_t>).get();
    CHECK(indices == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6});
    if (!migrates_at_random()) CHECK(places_of(c) == std::vector<std::uint32_t>{0, 0, 0, 1, 1, 2, 2});
    std::size_t asked = 0;
    const auto backwards = make_collection<cell>(placed([&](std::size_t i, std::size_t n, std::uint32_t nodes) {
                                                   ++asked;
                                                   return nodes - 1 - std::uint32_t(i % nodes) + std::uint32_t(0 * n);
                                                 }),
                                                 name("back"), 5, "start");
    CHECK(asked == 5);
    const auto starts = reduce(backwards, call<&cell::all>(), std::string(), std::plus<>()).get();
    CHECK(starts == "startstartstartstartstart");
    if (!migrates_at_random()) CHECK(places_of(backwards) == std::vector<std::uint32_t>{2, 1, 0, 2, 1});
    CHECK(to_string(backwards[3]).find("\"back[3]\"") != std::string::npos);
    CHECK(reduce(make_collection<cell>(0), call<&cell::which>(), std::size_t{17}, std::plus<>()).get() == 17);
    CHECK(collection<cell>().size() == 0);
    destroy(c).get();
    destroy(backwards).get();
    CHECK(current_mobile_statistics().objects == 0);
  });
}

TEST_CASE("a broadcast is in order with its sender's other messages to each element") {
  on_all_nodes({.nodes = 4, .seed = 9, .jitter_seconds = 1e-5}, 2, [](runtime&) {
    if (this_node() != 1) return;
    const auto c = make_collection<cell>(10);
    for (int round = 0; round < 5; ++round) {
      broadcast(c, call<&cell::mark>("b"));
      for (std::size_t i = 0; i < c.size(); ++i) send(c[i], call<&cell::mark>(std::to_string(i)));
      migrate(c[std::size_t(round)], at_node(std::uint32_t(round) % 4));
    }
    broadcast(name("last"), c, call<&cell::mark>("e")).get();
    const auto all = reduce(c, call<&cell::all>(), std::vector<std::string>(), appended<std::string>).get();
    for (std::size_t i = 0; i < c.size(); ++i) {
      const std::string n = std::to_string(i);
      CHECK(all[i] == "b" + n + "b" + n + "b" + n + "b" + n + "b" + n + "e");
    }
  });
}

TEST_CASE("a collection can be sent: elements send to one another, any node reduces over all") {
  on_all_nodes({.nodes = 3}, 2, [](runtime&) {
    if (this_node() != 0) return;
    const auto c = make_collection<cell>(9);
    finish([&] {
      broadcast(c, call(
                       [](cell& x, collection<cell> ring) {
                         send(ring[(x.index + 1) % ring.size()], call<&cell::mark>(std::to_string(x.index)));
                       },
                       c));
    });
    const auto seen = async(
        at_node(2),
        call([](collection<cell> ring) { return reduce(ring, call<&cell::all>(), std::string(), std::plus<>()).get(); },
             c));
    CHECK(seen.get() == "801234567");
  });
}

TEST_CASE("a failed broadcast, reduction or collection reports the failure of the lowest index") {
  on_all_nodes({.nodes = 2}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const auto c = make_collection<cell>(6);
    const auto refused = broadcast(c, call<&cell::refuse>(4));
    CHECK(test::thrown_by([&] { refused.get(); }).find("element 4 refuses") != std::string::npos);
    CHECK(test::thrown_by([&] { finish([&] { broadcast(c, call<&cell::refuse>(0)); }); }).find("refuses") !=
          std::string::npos);
    const auto never = user_event::create();
    const auto skipped = reduce(after(never), c, call<&cell::which>(), std::size_t{0}, std::plus<>());
    never.poison(std::make_exception_ptr(std::runtime_error("not today")));
    CHECK(test::thrown_by([&] { skipped.get(); }).find("not today") != std::string::npos);
    CHECK(reduce(c, call<&cell::which>(), std::size_t{0}, std::plus<>()).get() == 15);
    CHECK(test::thrown_by([&] { finish([&] { make_collection<cell>(4, "bad"); }); }).find("the third is bad") !=
          std::string::npos);
    const auto b = make_collection<cell>(4, "bad");
    CHECK(send(b[1], call<&cell::which>()).get() == 1);
    CHECK(test::thrown_by([&] { broadcast(b, call<&cell::mark>("x")).get(); }).find("the third is bad") !=
          std::string::npos);
    CHECK(send(b[3], call<&cell::all>()).get() == "badx");
  });
}

TEST_CASE("misuse of a collection throws in the call") {
  runtime rt({.workers = 1});
  rt.run([] {
    const auto c = make_collection<cell>(3);
    CHECK(error_of([&] { c[3]; }).code() == "G04");
    CHECK(error_of([&] { collection<cell>()[0]; }).code() == "G04");
    const auto beyond = placed([](std::size_t i, std::size_t, std::uint32_t) { return std::uint32_t(i); });
    CHECK(error_of([&] { make_collection<cell>(beyond, 3); }).code() == "N02");
    CHECK(reduce(c, call<&cell::which>(), std::size_t{0}, std::plus<>()).get() == 3);
  });
  CHECK(error_of([] { make_collection<cell>(3); }).code() == "B20");
}

TEST_CASE("random programs over collections: each message is handled once, in order, also if nodes fail") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(40, 1'000); ++seed) {
    CAPTURE(seed);
    lose_at_random(seed, trial::made::as_a_collection, seed % 2 == 0);
  }
}

}  // namespace
}  // namespace stretto
