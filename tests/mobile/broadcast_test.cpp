// Broadcasts and reductions as network messages: one for each node, forwarded if there are many nodes, and one reply
// from each. The same while objects migrate, nodes fail, links are cut, and a node lacks memory.
#include <doctest/doctest.h>

#include <stretto/collection.hpp>
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/instance.hpp>
#include <stretto/platform.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "mobile/append_fold.hpp"
#include "mobile/broadcast_message.hpp"
#include "mobile/broadcast_table.hpp"
#include "mobile/node_failures.hpp"
#include "mobile/random_migration.hpp"
#include "mobile/reply_aggregation.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using namespace test;

TEST_CASE("a broadcast message encodes consecutive objects as a run, and is read as it was written") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    mobiles::broadcast_message m;
    const std::string text = "arguments";
    m.header.first = mobiles::object_id{random()};
    m.header.first_request = mobiles::broadcast_request_bits + random() % 1000;
    m.header.from = 3;
    m.header.action = random() % 2 ? mobiles::message_action::handle : mobiles::message_action::destroy;
    m.header.priority = -5;
    m.header.function = random();
    m.name = {"a name"};
    m.arguments = std::as_bytes(std::span(text));
    using message = std::tuple<mobiles::object_id, std::uint64_t, std::uint64_t, mobiles::migration_epoch>;
    std::vector<std::vector<message>> sent(1 + random() % 4);
    std::vector<mobiles::node_messages>& parts = m.nodes;
    std::uint64_t position = 0, messages = 0, runs = 0;
    for (std::size_t n = 0; n < sent.size(); ++n) {
      parts.push_back({static_cast<dist::rank>(n), {}});
      const std::uint64_t step = 1 + random() % 2;
      std::uint64_t index = random() % 100, number = 0;
      for (auto left = random() % 30; left; --left, index += step, ++position, ++messages) {
        if (random() % 8 == 0) ++number;
        const mobiles::message_run one{.index = index,
                                       .position = position,
                                       .number = number,
                                       .answered_below = 0,
                                       .epoch = mobiles::migration_epoch{4}};
        sent[n].emplace_back(id_after(m.header.first, index), m.header.first_request + position, number,
                             mobiles::migration_epoch{4});
        auto& of = parts.back().runs;
        if (of.empty() || !of.back().try_append(one)) of.push_back(one), ++runs;
        CHECK((step == 1 || of.back().count == 1));
      }
    }
    CHECK(runs <= messages);
    const dist::message_environment environment{.nodes = 4};
    dist::writer w;
    encode_message(w, m, environment);
    dist::reader r(w.all());
    mobiles::broadcast_message got;
    REQUIRE(decode_message(r, got, environment));
    CHECK(std::ranges::equal(got.arguments, m.arguments));
    CHECK((got.header.from == 3 && got.header.action == m.header.action && got.header.priority == -5 &&
           got.name.text == "a name" && got.header.function == m.header.function));
    REQUIRE(got.nodes.size() == sent.size());
    for (std::size_t n = 0; n < sent.size(); ++n) {
      std::vector<message> came;
      for (const auto& run : got.nodes[n].runs)
        for (std::uint32_t i = 0; i < run.count; ++i) {
          const auto l = got.message_at(run, i);
          came.emplace_back(l->object, l->request, std::uint64_t{l->number}, l->routing.epoch);
        }
      CHECK(came == sent[n]);
      CHECK(got.nodes[n].node == n);
    }
    dist::reader cut(w.all().first(random() % (w.size() - text.size())));
    mobiles::broadcast_message some;
    CHECK_FALSE(decode_message(cut, some, environment));
  }
}

TEST_CASE("request numbers of a broadcast are consecutive, and none is one of a single message") {
  std::mt19937_64 random(3);
  std::uint64_t next = mobiles::broadcast_request_bits, before = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t count = random() % (i % 2 ? 100 : 1u << 30);
    const std::uint64_t first = mobiles::allocate_broadcast_requests(next, count);
    CHECK(first >= before);
    for (const std::uint64_t request : {first, first + count / 2, count ? first + count - 1 : first})
      CHECK(mobiles::is_broadcast_request(request));
    before = first + count;
    CHECK(next == before);
  }
  for (const std::uint64_t other :
       {std::uint64_t{1}, std::uint64_t{1} << 31, ~std::uint64_t{0} << 32, (~std::uint64_t{0} << 32) + 0x7fffffff})
    CHECK(!mobiles::is_broadcast_request(other));
}

TEST_CASE("aggregated replies are sent after the last of them, or when there are enough bytes") {
  struct sent {
    std::vector<std::string> all;
    std::vector<std::uint32_t> counts;
    static void take(void* owner, dist::rank to, const mobiles::encoded_replies& m) {
      CHECK(to == 5);
      static_cast<sent*>(owner)->all.emplace_back(reinterpret_cast<const char*>(m.replies.data()), m.replies.size());
      static_cast<sent*>(owner)->counts.push_back(m.count);
    }
  } to;
  const auto add = [](mobiles::reply_aggregation::share& to_that, const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    to_that.add(bytes.first(1), bytes.subspan(1));
  };
  {
    mobiles::reply_aggregation::share first(std::make_shared<mobiles::reply_aggregation>(5, sent::take, &to));
    auto second = first.one_more(), third = first.one_more(), fourth = first.one_more();
    const auto copied = second;
    CHECK(!copied);
    add(second, "b");
    second.end();
    CHECK(!second);
    first.end();  // its message was forwarded
    add(third, "c");
    third.end();
    third.end();
    CHECK(to.all.empty());
    add(fourth, std::string(20'000, 'd'));
    REQUIRE(to.all.size() == 1);
    CHECK(to.all[0] == "bc" + std::string(20'000, 'd'));
    fourth.end();
    CHECK(to.all.size() == 1);  // no reply was added
  }
  {
    mobiles::reply_aggregation::share first(std::make_shared<mobiles::reply_aggregation>(5, sent::take, &to));
    { const auto dropped = first.one_more(); }
    add(first, "a");
    CHECK(to.all.size() == 1);
    first.end();
    REQUIRE(to.all.size() == 2);
    CHECK(to.all[1] == "a");
    CHECK(to.counts == std::vector<std::uint32_t>{3, 1});
  }
}

struct part {
  std::size_t index = 0;
  std::vector<int> seen;
  std::string kept;

  part() = default;
  explicit part(std::size_t i) : index(i) {}
  void see(int what) { seen.push_back(what); }
  void keep(const std::string& text) { kept = text; }
  std::string text(std::size_t bytes) const { return std::string(bytes, static_cast<char>('a' + index % 26)); }
  std::size_t kept_bytes() const { return kept.size(); }
  std::size_t which() const { return index; }
  std::uint32_t where() const { return this_node(); }
  std::vector<int> all() const { return seen; }
  void wait_for(event e, std::size_t who) {
    if (index == who) wait(e);
  }
  void leave_behind(int what) {
    async([what, i = index] {
      yield();
      if (what == int(i)) throw std::runtime_error("left behind by " + std::to_string(i));
    });
  }
  template <class Archive>
  friend void fields(Archive& a, archived<part, Archive>& p) {
    a(p.index, p.seen, p.kept);
  }
};
using test::appended;
bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }
std::vector<std::size_t> first_numbers(std::size_t n) {
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}
std::vector<std::size_t> indices(const collection<part>& c) {
  return reduce(c, call<&part::which>(), std::vector<std::size_t>(), appended<std::size_t>).get();
}

TEST_CASE("a broadcast is one message to each node, and with many nodes its sender sends only a few") {
  if (migrates_at_random()) return;
  for (const std::uint32_t nodes : {1u, 2u, 4u, 9u, 10u, 30u}) {
    CAPTURE(nodes);
    std::atomic<std::uint64_t> in_all{0}, told{0};
    on_all_nodes({.nodes = nodes, .seed = nodes}, 1, [&](runtime&) {
      const auto sent = [] { return current_mobile_statistics().to_many; };
      const bool asks = this_node() == nodes / 2;
      if (asks) {
        const auto c = make_collection<part>(64);
        indices(c);  // all are made
        CHECK(sent() == std::min(nodes - 1, 8u));
        broadcast(c, call<&part::see>(1)).get();
        CHECK(sent() == 2 * std::min(nodes - 1, 8u));
        CHECK(current_mobile_statistics().most_hops <= most_hops);
        destroy(c).get();
        CHECK(sent() == 3 * std::min(nodes - 1, 8u));
        wait(quiescence());
      }
      // The counts of other nodes are complete once the sender has all replies.
      ++told;
      if (!asks)
        while (told < nodes) yield();
      CHECK(current_mobile_statistics().objects == 0);
      in_all += sent();
    });
    CHECK(in_all == 3 * (nodes - 1));
  }
}

TEST_CASE("broadcasts find objects that have moved, also after forwarding, and later messages are in order") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(4, 100); ++seed) {
    CAPTURE(seed);
    on_all_nodes({.nodes = 12, .seed = seed, .jitter_seconds = 1e-5}, 1, [&](runtime&) {
      if (this_node() != 3) return;
      std::mt19937_64 random(seed);
      const auto c = make_collection<part>(40);
      for (int round = 0; round < 6; ++round) {
        for (int i = 0; i < 6; ++i) migrate(c[random() % c.size()], at_node(std::uint32_t(random() % 12)));
        broadcast(c, call<&part::see>(2 * round));
        send(c[random() % c.size()], call<&part::which>());
        broadcast(c, call<&part::see>(2 * round + 1));
      }
      CHECK(indices(c) == first_numbers(40));
      const auto seen =
          reduce(c, call<&part::all>(), std::vector<std::vector<int>>(), appended<std::vector<int>>).get();
      const std::vector<int> each{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
      for (const auto& s : seen) CHECK(s == each);
      CHECK(current_mobile_statistics().most_hops <= most_hops);
      destroy(c).get();
      CHECK(has(thrown_by([&] { send(c[7], call<&part::which>()).get(); }), "G02"));
      CHECK(has(thrown_by([&] { indices(c); }), "G02"));
    });
  }
}

TEST_CASE("a handler that waits delays the replies of its node and nothing else") {
  on_all_nodes({.nodes = 3}, 2, [](runtime&) {
    if (this_node() != 0) return;
    const auto c = make_collection<part>(12);
    const auto go_on = user_event::create();
    const auto all = broadcast(c, call<&part::wait_for>(go_on, std::size_t{9}));
    broadcast(c, call<&part::see>(1));
    for (std::size_t i = 0; i < 9; ++i) CHECK(send(c[i], call<&part::all>()).get() == std::vector{1});
    CHECK(!all.is_ready());
    const event quiet = quiescence();
    CHECK(!quiet.has_triggered());
    migrate(c[10], at_node(0)).get();
    CHECK(send(c[10], call<&part::all>()).get() == std::vector{1});
    go_on.trigger();
    all.get();
    CHECK(send(c[9], call<&part::all>()).get() == std::vector{1});
    wait(quiet);
  });
}

TEST_CASE("a finish waits for tasks that handlers of a broadcast leave behind, and gets their failures") {
  on_all_nodes({.nodes = 3, .seed = 5, .jitter_seconds = 1e-5}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const auto c = make_collection<part>(9);
    for (const int who : {0, 4, 8}) {
      const auto said = thrown_by([&] { finish([&] { broadcast(c, call<&part::leave_behind>(who)).get(); }); });
      CHECK(has(said, "left behind by " + std::to_string(who)));
    }
    CHECK_NOTHROW(finish([&] { broadcast(c, call<&part::leave_behind>(-1)); }));
  });
}

TEST_CASE("large arguments and replies are sent once to each node or alone, and arrive whole") {
  on_all_nodes({.nodes = 3}, 2, [](runtime&) {
    if (this_node() != 1) return;
    const auto c = make_collection<part>(9);
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{900}, std::size_t{1100}, std::size_t{9000}, std::size_t{300'000}}) {
      CAPTURE(bytes);
      broadcast(c, call<&part::keep>(std::string(bytes, 'x'))).get();
      CHECK(reduce(c, call<&part::kept_bytes>(), std::size_t{0}, std::plus<>()).get() == 9 * bytes);
      const auto all = reduce(c, call<&part::text>(bytes), std::string(), std::plus<>()).get();
      std::string expected;
      for (std::size_t i = 0; i < 9; ++i) expected += std::string(bytes, char('a' + i));
      CHECK(all == expected);
    }
  });
}

TEST_CASE("if a node lacks memory for a broadcast, its messages there fail, and later ones arrive") {
  if (migrates_at_random()) return;
  const with_variable most("STRETTO_LARGEST_MESSAGE", "64K");
  on_all_nodes({.nodes = 2, .seed = 1}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    const auto c = make_collection<part>(6);
    const auto failed = broadcast(c, call<&part::keep>(std::string(80'000, 'x')));
    CHECK(has(thrown_by([&] { failed.get(); }), "N18"));
    // from the local elements
    CHECK(reduce(c, call<&part::kept_bytes>(), std::size_t{0}, std::plus<>()).get() == 3 * 80'000);
    for (const std::size_t bytes : {20'000, 30'000, 60'000}) {
      broadcast(c, call<&part::keep>(std::string(bytes, 'x'))).get();
      CHECK(reduce(c, call<&part::kept_bytes>(), std::size_t{0}, std::plus<>()).get() == 6 * bytes);
    }
  });
}

/// An argument that cannot be written.
struct unwritable {
  int value = 0;
  template <class Archive>
  friend void fields(Archive& a, archived<unwritable, Archive>& u) {
    if constexpr (std::is_same_v<Archive, field_writer>)
      if (u.value == 1) throw std::runtime_error("it cannot be written");
    a(u.value);
  }
};

TEST_CASE("a broadcast whose arguments cannot be written throws, and nothing is sent") {
  on_all_nodes({.nodes = 2}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const auto c = make_collection<part>(4);
    const auto see = [](part& p, unwritable u) { p.seen.push_back(u.value); };
    CHECK(has(thrown_by([&] { broadcast(c, call(see, unwritable{1})); }), "cannot be written"));
    broadcast(c, call(see, unwritable{2})).get();
    for (std::size_t i = 0; i < 4; ++i) CHECK(send(c[i], call<&part::all>()).get() == std::vector{2});
    // A broadcast that waits for an event has no caller to throw to.
    const auto late = user_event::create();
    const auto failed = broadcast(after(late), c, call(see, unwritable{1}));
    late.trigger();
    CHECK(has(thrown_by([&] { failed.get(); }), "cannot be written"));
    CHECK(indices(c) == first_numbers(4));
  });
}

TEST_CASE("threads of many nodes broadcast to moving objects: each gets all once, in each thread's order") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(6, 200); ++seed) {
    CAPTURE(seed);
    const auto nodes = static_cast<std::uint32_t>(2 + seed % 3);
    constexpr int tasks = 3, times = 12;
    std::atomic<std::uint32_t> ready{0}, through{0};
    collection<part> c;
    on_all_nodes({.nodes = nodes, .seed = seed, .jitter_seconds = seed % 2 ? 2e-6 : 1e-5}, 2, [&](runtime&) {
      const std::uint32_t me = this_node();
      if (me == seed % nodes) {
        c = make_collection<part>(13);
        indices(c);
      } else {
        while (!ready) yield();
      }
      ++ready;
      finish([&] {
        for (int task = 0; task < tasks; ++task)
          async([&, task] {
            std::mt19937_64 random(seed * 1000 + me * 10 + std::uint64_t(task));
            for (int i = 0; i < times; ++i) {
              const int what = (int(me) * tasks + task) * 1000 + i;
              if (random() % 3) broadcast(c, call<&part::see>(what));
              else broadcast(after(async([] { yield(); })), c, call<&part::see>(what)).get();
              if (random() % 2) migrate(c[random() % c.size()], at_node(std::uint32_t(random() % nodes)));
              if (random() % 4 == 0) CHECK(indices(c) == first_numbers(13));
            }
          });
      });
      ++through;
      while (through < nodes) yield();
      if (me) return;
      const auto seen =
          reduce(c, call<&part::all>(), std::vector<std::vector<int>>(), appended<std::vector<int>>).get();
      for (const auto& s : seen) {
        CHECK(s.size() == nodes * tasks * times);
        std::map<int, int> next;
        for (const int what : s) CHECK(what % 1000 == next[what / 1000]++);
      }
      destroy(c).get();
      wait(quiescence());
      CHECK(current_mobile_statistics().objects == 0);
    });
  }
}

instance<int>* written = nullptr;  // by the handlers below
struct writer {
  std::size_t index = 0;
  writer() = default;
  explicit writer(std::size_t i) : index(i) {}
  int write() {
    const auto at = static_cast<coordinate>(index);
    wait(fill(*written, {at, at + 1}, 1));
    return 1;
  }
  template <class Archive>
  friend void fields(Archive& a, archived<writer, Archive>& w) {
    a(w.index);
  }
};

TEST_CASE("with STRETTO_CHECK=1, handlers of a broadcast are ordered before its waiters and folds") {
  for (const unsigned workers : {1u, 2u, 4u}) {
    const with_variable checks("STRETTO_CHECK", "1");
    runtime rt(
        {.machine = std::make_shared<platform>(platform::synthetic("core:" + std::to_string(workers) + " pu:1"))});
    CHECK_NOTHROW(rt.run([&] {
      auto all = instance<int>::create(at(rt.machine().memories()[0]), {0, 8}, {.name = "all"}).made;
      written = &all;
      const auto c = make_collection<writer>(8);
      broadcast(c, call<&writer::write>()).get();
      wait(fill(all, 2));
      CHECK(reduce(c, call<&writer::write>(), 0, [&](int sum, int one) {
              if (!sum) wait(fill(all, 3));
              return sum + one;
            }).get() == 8);
      wait(fill(all, 4));
    }));
  }
}

TEST_CASE("a node that cannot forward a broadcast part tells the sender, which resends") {
  unsigned tried = 0;
  for (std::uint64_t seed = 1; tried < scaled(12u, 300u); ++seed) {
    CAPTURE(seed);
    trial t(seed, 24, trial::made::as_a_large_collection);
    if (t.nodes < 11) continue;
    ++tried;
    const auto node_in = [](const mobile<book>& m) {
      return static_cast<std::uint32_t>(detail::mobile_access::id_of(m) >> 48);
    };
    std::uint32_t first = 0;
    t.on(0, [&] { first = node_in(make_mobile<book>()); });
    const std::uint32_t home = node_in(t.sent.objects[0]) - first;
    const auto broadcast_from_home = [&] { t.on(home, [&] { t.keep(home, send_to_all()); }); };
    broadcast_from_home();
    t.finish_all();
    // The sender, which has made the objects, reaches every node. The others reach only the sender, some from before
    // and some from after the broadcast on.
    const bool is_before = seed % 2;
    if (!is_before) {
      broadcast_from_home();
      t.step(t.random() % (8 * t.nodes));
    }
    t.has_losses = true;
    for (std::uint32_t a = 0; a < t.nodes; ++a)
      for (std::uint32_t b = a + 1; b < t.nodes; ++b)
        if (a != home && b != home) t.job.cut(a, b);
    if (is_before) {
      t.step(t.random() % (20 * t.nodes));
      broadcast_from_home();
    }
    t.finish_all();
    for (const auto& w : t.futures) t.on(w.node, [&] { CHECK_NOTHROW(w.what.get()); });
    future<std::vector<std::size_t>> lines;
    t.on(home, [&] {
      lines = reduce(t.sent.as_one, call([](const book& b) { return b.lines.size(); }), std::vector<std::size_t>(),
                     appended<std::size_t>);
    });
    t.step_until([&] { return lines.is_ready(); });
    t.on(home, [&] { CHECK(lines.get() == std::vector<std::size_t>(t.sent.objects.size(), 2)), lines = {}; });
  }
}

TEST_CASE("random broadcasts on many nodes: each message is handled once, also if forwarding nodes fail") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(8, 400); ++seed) {
    CAPTURE(seed);
    lose_at_random(seed, trial::made::as_a_large_collection, seed % 4 != 0, 24);
  }
}

}  // namespace
}  // namespace stretto
