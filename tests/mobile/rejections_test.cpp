// Messages, replies and objects that a node lacks memory for: only they fail, in their order, and their senders get the
// failure.
#include <doctest/doctest.h>

#include <stretto/balancing.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "mobile/all_on.hpp"
#include "mobile/node_failures.hpp"
#include "mobile/random_migration.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using namespace test;

constexpr std::size_t too_many = 80 << 10, few = 40 << 10;

struct sack {
  std::vector<int> taken;
  std::string content;

  sack() = default;
  explicit sack(std::string c) : content(std::move(c)) {}
  explicit sack(std::size_t) {}
  void put(int which, const std::string&) { taken.push_back(which); }
  void fill(std::size_t bytes) { content.assign(bytes, 's'); }
  std::string all() const { return content; }
  std::vector<int> numbers() const { return taken; }
  std::uint32_t where() const { return this_node(); }
  double load_hint() const { return 1; }
  template <class Archive>
  friend void fields(Archive& a, archived<sack, Archive>& s) {
    a(s.taken, s.content);
  }
};

bool has(const std::string& text, const char* part) { return text.find(part) != text.npos; }

TEST_CASE("a message that a node lacks memory for fails alone: others arrive in order") {
  if (migrates_at_random()) return;
  const with_variable most("STRETTO_LARGEST_MESSAGE", "64K");
  on_all_nodes({.nodes = 2, .seed = 1}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    const auto there = make_mobile<sack>(at_node(1), name("a sack"));
    std::vector<future<void>> sent;
    for (int i = 0; i < 12; ++i)
      sent.push_back(send(there, call<&sack::put>(i, std::string(i % 3 == 1 ? too_many : i % 2 ? few : 1, 'x'))));
    CHECK(send(there, call<&sack::numbers>()).get() == std::vector{0, 2, 3, 5, 6, 8, 9, 11});
    for (std::size_t i = 0; i < sent.size(); ++i) {
      CHECK(sent[i].is_ready());
      CHECK(has(thrown_by([&] { sent[i].get(); }), "N18") == (i % 3 == 1));
    }
    const std::string said = thrown_by([&] { sent[1].get(); });
    CAPTURE(said);
    CHECK(has(said, "error N18: node N"));
    CHECK(has(said, "has no memory for a message"));
    CHECK(has(said, "M1 \"a sack\""));
    CHECK(has(said, "bytes       81"));
    CHECK(has(said, "at most     65536"));
    CHECK_NOTHROW(sent[2].get());
    // Its reply is ignored: the finish reports the failure.
    CHECK(
        has(thrown_by([&] { finish([&] { send(there, call<&sack::put>(12, std::string(too_many, 'x'))); }); }), "N18"));
    // The direction of replies.
    send(there, call<&sack::fill>(too_many)).get();
    CHECK(error_of([&] { send(there, call<&sack::all>()).get(); }).code() == "N18");
    send(there, call<&sack::fill>(few)).get();
    CHECK(send(there, call<&sack::all>()).get().size() == few);
  });
}

TEST_CASE("an object is not made if its node lacks memory for the arguments, and messages say why") {
  const with_variable most("STRETTO_LARGEST_MESSAGE", "64K");
  on_all_nodes({.nodes = 2, .seed = 2}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    const auto never = make_mobile<sack>(at_node(1), std::string(too_many, 'x'));
    CHECK(has(thrown_by([&] { send(never, call<&sack::where>()).get(); }), "N18"));
    const auto small = make_mobile<sack>(at_node(1), std::string(few, 'x'));
    CHECK(send(small, call<&sack::all>()).get().size() == few);
  });
}

TEST_CASE("an object that a node lacks memory for stays where it is, with its messages") {
  if (migrates_at_random()) return;
  const with_variable most("STRETTO_LARGEST_MESSAGE", "64K");
  for (const std::uint32_t home : {0u, 1u, 2u}) {
    CAPTURE(home);
    on_all_nodes({.nodes = 3, .seed = 3 + home}, 1, [&](runtime&) {
      if (this_node() != 0) return;
      const auto s = make_mobile<sack>(at_node(home), name("a sack"), std::string(few, 'x'));
      migrate(s, at_node(1)).get();
      send(s, call<&sack::fill>(too_many)).get();
      const auto moved = migrate(s, at_node(2));
      for (int i = 0; i < 5; ++i) send(s, call<&sack::put>(i, std::string()));
      const std::string said = thrown_by([&] { moved.get(); });
      CAPTURE(said);
      CHECK(has(said, "error N18: node N"));
      CHECK(has(said, "M1 \"a sack\""));
      CHECK(send(s, call<&sack::where>()).get() == 1);
      CHECK(send(s, call<&sack::numbers>()).get() == std::vector{0, 1, 2, 3, 4});
      send(s, call<&sack::fill>(few)).get();
      CHECK_NOTHROW(migrate(s, at_node(2)).get());
      CHECK(send(s, call<&sack::where>()).get() == 2);
      CHECK(send(s, call<&sack::numbers>()).get().size() == 5);
      const auto counted = current_mobile_statistics();
      CHECK(counted.moved_out == (home == 0 ? 1 : 0));
    });
  }
}

TEST_CASE("a round moves other objects if some migrations fail") {
  if (migrates_at_random()) return;
  const with_variable most("STRETTO_LARGEST_MESSAGE", "64K");
  on_all_nodes({.nodes = 2, .seed = 4}, 2, [&](runtime&) {
    if (this_node() != 0) return;
    const auto all = make_collection<sack>(all_on(0), 16);
    for (std::size_t i = 0; i < all.size(); ++i) send(all[i], call<&sack::fill>(i % 4 == 1 ? too_many : few)).get();
    const balance_report r = balance(all, by_hints(balancers::greedy{})).get();
    CHECK(r.moves > 0);
    std::size_t there = 0, heavy_there = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (send(all[i], call<&sack::where>()).get() == 1) ++there, heavy_there += i % 4 == 1;
    CHECK(r.moved == there);
    CHECK(heavy_there == 0);
    CHECK(there > 0);
    CHECK(r.moved < r.moves);
    CHECK(balance(all, by_hints(balancers::greedy{})).get().silent == 0);
  });
}

// Random programs.

void write_heavy(book& b, line l, const std::string&) { write_down(b, l, 0); }
void weigh(book& b, std::uint32_t bytes) { b.weight.assign(bytes, 'w'); }
std::string weight_of(const book& b) { return b.weight; }

void do_something_heavy(trial& t) {
  const std::uint32_t node = t.draw(), o = t.object();
  const std::size_t bytes = t.random() % 2 ? too_many : few;
  t.on(node, [&] {
    switch (t.random() % 5) {
      case 0: return t.keep(node, send(t.sent.objects[o], call<&weigh>(std::uint32_t(t.random() % 3 ? bytes : 0))));
      case 1: return t.keep(node, async(after(send(t.sent.objects[o], call<&weight_of>())), [] {}));
      case 2: return t.keep(node, migrate(t.sent.objects[o], at_node(t.draw())));
      default: break;
    }
    future<void> f = t.sent.in_order(node, o, [&](std::uint32_t n) {
      return send(t.sent.objects[o], call<&write_heavy>(line{node, n}, std::string(bytes, 'x')));
    });
    t.futures.push_back({node, std::move(f), o, t.sent.sent_by(node, o) - 1});
  });
}

/// Returns how many messages were rejected.
std::size_t refuse_at_random(std::uint64_t seed, bool loses) {
  trial t(seed, 6);
  for (int i = 0; i < 100; ++i) {
    t.random() % 3 ? t.do_something() : do_something_heavy(t);
    if (loses && t.nodes > 1 && t.random() % 50 == 0) t.lose_some();
  }
  t.finish_all();
  std::size_t refused = 0;
  std::set<std::pair<std::uint32_t, line>> not_there;  // by object
  for (const auto& w : t.futures)
    t.on(w.node, [&] {
      if (w.what.result()) return;
      const std::string said = thrown_by([&] { w.what.get(); });
      CAPTURE(said);
      const bool is_refused = has(said, "N18");
      CHECK((is_refused || (t.has_losses && (has(said, "G03") || has(said, "N05")))));
      refused += is_refused;
      if (w.object != ~0u && is_refused) not_there.emplace(w.object, line{w.node, w.number});
    });
  if (!t.has_losses) t.step_until([&] { return t.sent.handled + not_there.size() == t.sent.sent_by_all(); });
  for (std::uint32_t o = 0; o < t.sent.objects.size(); ++o) {
    std::uint32_t reader = t.draw();
    for (std::uint32_t n = 0; n < t.nodes && t.is_dead[reader]; ++n) reader = (reader + 1) % t.nodes;
    if (t.is_dead[reader]) break;
    const auto lines = t.read(reader, o);
    if (!lines) {
      CHECK(t.has_losses);
      continue;
    }
    check_book(*lines, true);
    const std::set<line> once(lines->begin(), lines->end());
    CHECK(once.size() == lines->size());
    for (const auto& [object, l] : not_there)
      if (object == o) CHECK(!once.contains(l));
    if (t.has_losses) continue;
    for (std::uint32_t n = 0; n < t.nodes; ++n)
      for (std::uint32_t i = 0; i < t.sent.sent_by(n, o); ++i)
        CHECK(once.contains({n, i}) != not_there.contains({o, {n, i}}));
  }
  CHECK(t.sent.disturbed == 0);
  return refused;
}

TEST_CASE("messages that nodes have memory for are handled once and in order, wherever objects are") {
  const with_variable most("STRETTO_LARGEST_MESSAGE", "64K");
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(60, 2'000); ++seed) {
    CAPTURE(seed);
    if (seed % 2 && !migrates_at_random()) {
      const with_variable moves("STRETTO_TEST_RANDOM_MIGRATION", "30");
      refused += refuse_at_random(seed, false);
    } else {
      refused += refuse_at_random(seed, false);
    }
  }
  CHECK(refused > 100);
}

TEST_CASE("the same with failing nodes and cut links: all ends") {
  const with_variable most("STRETTO_LARGEST_MESSAGE", "64K");
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(60, 2'000); ++seed) {
    CAPTURE(seed);
    refuse_at_random(seed * 11 + 3, true);
  }
}

TEST_CASE("objects sent in parts: with failing nodes and cut links all ends, without them nothing is missing") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(60, 2'000); ++seed) {
    CAPTURE(seed);
    const bool loses = seed % 4 != 0;
    if (seed % 3 && !migrates_at_random()) {
      const with_variable moves("STRETTO_TEST_RANDOM_MIGRATION", "30");
      CHECK(refuse_at_random(seed * 13 + 5, loses) == 0);
    } else {
      CHECK(refuse_at_random(seed * 13 + 5, loses) == 0);
    }
  }
}

TEST_CASE("regression seeds that hung: a returned object unknown to its home, a lost pin, a lost reply") {
  const with_variable most("STRETTO_LARGEST_MESSAGE", "64K");
  for (const std::uint64_t seed : {1988u, 2603u, 2929u, 2979u, 6846u}) {
    CAPTURE(seed);
    refuse_at_random(seed * 11 + 3, true);
  }
}

void stick(book& b, bool is_so) { b.cannot_be_packed = is_so; }

/// Objects that sometimes cannot be packed.
void stick_or_not(trial& t) {
  const std::uint32_t node = t.draw(), o = t.object();
  t.on(node, [&] { t.keep(node, send(t.sent.objects[o], call<&stick>(t.random() % 3 != 0))); });
}

TEST_CASE("objects that cannot be written stay, and all ends, also with failing nodes and cut links") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(60, 10'000); ++seed) {
    CAPTURE(seed);
    trial t(seed * 5 + 2, 6);
    for (int i = 0; i < 120; ++i) {
      t.random() % 8 ? t.do_something() : stick_or_not(t);
      if (t.nodes > 1 && t.random() % 40 == 0) t.lose_some();
    }
    t.finish_all();
    for (std::uint32_t o = 0; o < t.sent.objects.size(); ++o)
      for (std::uint32_t n = 0; n < t.nodes; ++n)
        if (!t.is_dead[n])
          if (const auto lines = t.read(n, o)) check_book(*lines, true);
    CHECK(t.sent.disturbed == 0);
  }
}

}  // namespace
}  // namespace stretto
