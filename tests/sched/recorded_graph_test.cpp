#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

#include "campaign.hpp"
#include "sched/with_runtimes.hpp"

using namespace stretto;
using test::with_runtimes;

namespace {

/// The text of the exception that `body` throws, without line numbers.
template <class Body>
std::string thrown_without_lines(Body&& body) {
  std::string text = "nothing was thrown";
  try {
    body();
  } catch (const std::exception& e) {
    text = e.what();
  }
  for (std::size_t at = 0; (at = text.find(".cpp:", at)) != std::string::npos;) {
    at += 5;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') text.erase(at, 1);
  }
  return text;
}

/// Letters in the order in which their operations ran.
struct diary {
  void write(char c) {
    std::scoped_lock lock(mutex);
    text += c;
  }
  bool has_in_order(char a, char b) const { return text.find(a) < text.find(b); }
  std::mutex mutex;
  std::string text;
};

}  // namespace

TEST_CASE("a replay runs each operation once, after all its predecessors") {
  with_runtimes([] {
    diary d;
    recorded_graph g(name("diamond"));
    const auto a = g.add([&] { d.write('a'); });
    const auto b = g.add(after(a), [&] { d.write('b'); });
    const auto c = g.add(after(a), name("c"), [&] { d.write('c'); });
    g.add(after(b, c), [&] { d.write('d'); });
    for (int round = 0; round < 20; ++round) {
      d.text.clear();
      wait(g.replay());
      CHECK(d.text.size() == 4);
      CHECK(d.text.front() == 'a');
      CHECK(d.text.back() == 'd');
    }
  });
}

TEST_CASE("an empty graph's replay ends when its preconditions have") {
  with_runtimes([] {
    recorded_graph g;
    CHECK(g.replay().has_triggered());
    const auto gate = user_event::create();
    const event done = g.replay(after(gate));
    CHECK_FALSE(done.has_triggered());
    gate.trigger();
    wait(done);
  });
}

TEST_CASE("arguments are those of the replay, also when many are submitted ahead") {
  with_runtimes([] {
    std::vector<std::string> seen;
    recorded_graph<int, std::string> g;
    const auto first = g.add([&](int i, const std::string& s) { seen.push_back(std::to_string(i) + s); });
    g.add(after(first), [&] { seen.back() += '.'; });
    const auto gate = user_event::create();
    event last = gate;
    for (int i = 0; i < 50; ++i) last = g.replay(i, "x", after(last));
    CHECK(seen.empty());
    gate.trigger();
    wait(last);
    REQUIRE(seen.size() == 50);
    for (int i = 0; i < 50; ++i) CHECK(seen[i] == std::to_string(i) + "x.");
  });
}

TEST_CASE("arguments are destroyed when their replay ends") {
  with_runtimes([] {
    const auto owned = std::make_shared<int>(7);
    recorded_graph<std::shared_ptr<int>> g;
    g.add([](const std::shared_ptr<int>& p) { CHECK(*p == 7); });
    wait(g.replay(owned));
    CHECK(owned.use_count() == 1);
  });
}

TEST_CASE("replays in turn do not overlap, and need only one state if each is waited for") {
  with_runtimes([] {
    std::atomic<int> inside{0}, most{0};
    recorded_graph g;
    for (int i = 0; i < 3; ++i) g.add(after(g.add([&] { most = std::max(most.load(), ++inside); })), [&] { --inside; });
    std::vector<event> ends;
    for (int i = 0; i < 20; ++i) ends.push_back(g.replay());
    wait(merge(ends));
    CHECK(inside == 0);
    CHECK(most <= 3);
    CHECK(g.statistics().states <= 20);
    CHECK(g.statistics().replays == 20);
    CHECK(g.statistics().under_way == 0);

    recorded_graph one;
    one.add([] {});
    for (int i = 0; i < 100; ++i) wait(one.replay());
    CHECK(one.statistics().states == 1);
  });
}

TEST_CASE("replaying again and again takes no more memory") {
  runtime rt({.workers = 1});
  rt.run([&] {
    recorded_graph<int> g;
    recorded_operation last = g.add([] {});
    for (int i = 0; i < 200; ++i) last = g.add(after(last), name("step"), [](int) {});
    const auto used = [&] {
      const auto s = rt.statistics();
      return s.task_bytes + s.events.bytes + g.statistics().states;
    };
    for (int i = 0; i < 10; ++i) wait(g.replay(i));
    const auto before = used();
    for (int i = 0; i < 1000; ++i) wait(g.replay(i));
    CHECK(used() == before);
  });
}

TEST_CASE("overlapping replays run concurrently") {
  with_runtimes([] {
    const auto gate = user_event::create();
    recorded_graph<int> g(replays::overlapping);
    std::atomic<int> ended{0};
    g.add([&, gate](int i) {
      if (i == 0) wait(gate);
      ++ended;
    });
    const event first = g.replay(0);
    for (int i = 1; i < 10; ++i) wait(g.replay(i));  // none of them waits for the first
    CHECK(ended == 9);
    CHECK_FALSE(first.has_triggered());
    gate.trigger();
    wait(first);
    CHECK(ended == 10);
  });
}

TEST_CASE("in turn means in the order of the calls, whatever their preconditions") {
  with_runtimes([] {
    std::string order;
    recorded_graph<char> g;
    g.add([&](char c) { order += c; });
    const auto gate = user_event::create();
    g.replay('a', after(gate));
    const event second = g.replay('b');
    gate.trigger();
    wait(second);
    CHECK(order == "ab");
  });
}

TEST_CASE("an operation whose body returns an event ends when that does") {
  with_runtimes([] {
    auto gate = user_event::create();
    std::atomic<bool> later_ran{false};
    recorded_graph g;
    const auto slow = g.add([&]() -> event { return gate; });
    const auto future_too = g.add([&] { return async([] {}); });
    g.add(after(slow, future_too), [&] { later_ran = true; });
    const event done = g.replay();
    for (int i = 0; i < 100; ++i) yield();
    CHECK_FALSE(later_ran);
    gate.trigger();
    wait(done);
    CHECK(later_ran);
  });
}

TEST_CASE("graphs nest: a body returns the replay of another") {
  with_runtimes([] {
    std::string order;
    recorded_graph<char> inner;
    inner.add([&](char c) { order += c; });
    recorded_graph outer;
    const auto a = outer.add([&] { return inner.replay('a'); });
    outer.add(after(a), [&] { return inner.replay('b'); });
    wait(outer.replay());
    wait(outer.replay());
    CHECK(order == "abab");
  });
}

TEST_CASE("a body may suspend, spawn, and open a finish") {
  with_runtimes([] {
    std::atomic<int> sum{0};
    recorded_graph g;
    const auto a = g.add([&] {
      sum += async([] { return 1; }).get();
      finish([&] {
        for (int i = 0; i < 4; ++i) async([&] { sum += 10; });
      });
    });
    g.add(after(a), [&] { CHECK(sum % 41 == 0); });
    for (int i = 0; i < 10; ++i) wait(g.replay());
    CHECK(sum == 410);
  });
}

TEST_CASE("external conditions are bound anew for each replay") {
  with_runtimes([] {
    diary d;
    recorded_graph g;
    const external_precondition input = g.add_precondition(name("input"));
    const auto a = g.add([&] { d.write('a'); });
    const auto b = g.add(after(a, input), [&] { d.write('b'); });
    const external_postcondition half = g.add_postcondition(after(a), name("half"));
    const external_postcondition all = g.add_postcondition(after(b));
    for (int round = 0; round < 5; ++round) {
      d.text.clear();
      const auto in = user_event::create(), out = user_event::create(), end = user_event::create();
      const event done = g.replay({}, {bind(input, in), bind(half, out), bind(all, end)});
      wait(out);
      CHECK(d.text == "a");
      CHECK_FALSE(end.has_triggered());
      in.trigger();
      wait(end);
      CHECK(d.text == "ab");
      wait(done);
    }
    wait(g.replay());  // nothing bound: nothing to wait for, nothing to trigger
  });
}

TEST_CASE("a failed operation skips its successors only, and the replay names it") {
  with_runtimes([] {
    diary d;
    recorded_graph<bool> g(name("relax"));
    const auto a = g.add(name("left"), [&](bool fails) {
      if (fails) throw std::runtime_error("left broke");
      d.write('a');
    });
    const auto b = g.add(name("right"), [&] { d.write('b'); });
    const auto c = g.add(after(b, a), name("both"), [&] { d.write('c'); });
    g.add(after(b), [&] { d.write('d'); });
    const auto out = g.add_postcondition(after(c));
    const auto seen = user_event::create();
    const event failed = g.replay(true, {}, {bind(out, seen)});
    CHECK(thrown_without_lines([&] { wait(failed); }) ==
          "error E10: the end of graph \"relax\" was skipped because task \"left\" failed\n"
          "  skipped     the end of graph \"relax\", recorded_graph_test.cpp:\n"
          "  failed      task \"left\", recorded_graph_test.cpp:\n"
          "  waited at   recorded_graph_test.cpp:\n"
          "  because     left broke");
    CHECK(d.text.find('c') == std::string::npos);
    CHECK(d.text.find('d') != std::string::npos);
    CHECK(thrown_without_lines([&] { wait(seen); }) ==
          "error E10: external postcondition at recorded_graph_test.cpp: was skipped because task \"left\" failed\n"
          "  skipped     external postcondition at recorded_graph_test.cpp:, recorded_graph_test.cpp:\n"
          "  skipped     task \"both\", recorded_graph_test.cpp:\n"
          "  failed      task \"left\", recorded_graph_test.cpp:\n"
          "  waited at   recorded_graph_test.cpp:\n"
          "  because     left broke");
    // The next replay starts from a clean slate.
    d.text.clear();
    wait(g.replay(false));
    CHECK(d.text.size() == 4);
  });
}

TEST_CASE("a poisoned precondition skips every operation") {
  with_runtimes([] {
    int ran = 0;
    recorded_graph g;
    g.add(after(g.add([&] { ++ran; })), [&] { ++ran; });
    const auto ended = user_event::create(), later = user_event::create();
    ended.poison(std::make_exception_ptr(std::runtime_error("no")));
    const event first = g.replay(after(ended)), second = g.replay(after(later));
    later.poison(std::make_exception_ptr(std::runtime_error("no")));
    CHECK_THROWS_AS(wait(first), poisoned);
    CHECK_THROWS_AS(wait(second), poisoned);
    CHECK(ran == 0);
    wait(g.replay());  // a failed replay does not stop the one after it
    CHECK(ran == 2);
  });
}

TEST_CASE("a returned event that is poisoned fails its operation") {
  with_runtimes([] {
    bool later_ran = false;
    recorded_graph g;
    const auto a = g.add(name("start"), [] { return async(name("inner"), [] { throw std::runtime_error("no"); }); });
    g.add(after(a), [&] { later_ran = true; });
    const std::string text = thrown_without_lines([&] { wait(g.replay()); });
    CHECK(text.find("task \"inner\" failed") != std::string::npos);
    CHECK(text.find("the end of task \"start\"") != std::string::npos);
    CHECK_FALSE(later_ran);
  });
}

TEST_CASE("finish waits for replays begun inside it, and throws their failures") {
  with_runtimes([] {
    std::atomic<int> ran{0};
    recorded_graph g;
    auto last = g.add([&] { ++ran; });
    for (int i = 0; i < 20; ++i) last = g.add(after(last), [&] { ++ran; });
    finish([&] {
      for (int i = 0; i < 5; ++i) g.replay();
    });
    CHECK(ran == 105);

    recorded_graph slow;  // it only waits for an event: the finish counts the replay itself
    const auto gate = user_event::create();
    slow.add_precondition();
    bool open = false;
    finish([&] {
      recorded_graph waits;
      waits.replay();
      const auto port = slow.add_precondition();
      slow.replay({}, {bind(port, gate)});
      async([&, gate] {
        for (int i = 0; i < 50; ++i) yield();
        open = true;
        gate.trigger();
      });
    });
    CHECK(open);
    CHECK(slow.statistics().under_way == 0);

    recorded_graph fails;
    fails.add([] { throw std::runtime_error("unseen"); });
    CHECK(thrown_without_lines([&] { finish([&] { fails.replay(); }); }) == "unseen");
    CHECK(thrown_without_lines([&] { finish([&] { CHECK_THROWS(wait(fails.replay())); }); }) == "nothing was thrown");
  });
}

TEST_CASE("an edge that would close a cycle is refused, and the error names the operations on it") {
  runtime rt({.workers = 1});
  rt.run([] {
    recorded_graph g(name("loop"));
    const auto a = g.add(name("a"), [] {});
    const auto b = g.add(name("b"), after(a), [] {});
    const auto side = g.add(after(a), [] {});
    const auto c = g.add(name("c"), after(b, side), [] {});
    CHECK(thrown_without_lines([&] { g.make_edge(c, b); }) ==
          "error S20: an edge would close a cycle of 2 operations in graph \"loop\"\n"
          "  called      recorded_graph_test.cpp:\n"
          "  first       task \"b\", recorded_graph_test.cpp:\n"
          "  then        task \"c\", recorded_graph_test.cpp:\n"
          "  and again   task \"b\", recorded_graph_test.cpp:\n"
          "  because     each operation would wait for itself\n"
          "  try         omit one of these edges, or put the later step into the next replay");
    CHECK_THROWS_AS(g.make_edge(a, a), error);
    const std::size_t edges = g.statistics().edges;
    CHECK(edges == 4);  // nothing was changed
    // Backwards in recording order is no cycle by itself; a forward edge may then close one.
    const auto late = g.add(name("late"), [] {});
    g.make_edge(late, a);
    CHECK_THROWS_AS(g.make_edge(b, late), error);
    CHECK_THROWS_AS(g.make_edge(a, late), error);
    wait(g.replay());
  });
}

TEST_CASE("make_edge orders operations in any direction") {
  with_runtimes([] {
    std::string order;
    recorded_graph g;
    const auto a = g.add([&] { order += 'a'; });
    const auto b = g.add([&] { order += 'b'; });
    const auto c = g.add([&] { order += 'c'; });
    g.make_edge(c, b);
    g.make_edge(b, a);
    wait(g.replay());
    CHECK(order == "cba");
  });
}

TEST_CASE("a graph grows between replays, not during one") {
  with_runtimes([] {
    const auto gate = user_event::create();
    int ran = 0;
    recorded_graph g(name("grows"));
    const auto a = g.add([&] { ++ran; });
    const event done = g.replay(after(gate));
    CHECK(thrown_without_lines([&] { g.add(after(a), [] {}); }) ==
          "error S21: \"add\" was called while 1 replay of graph \"grows\" is under way\n"
          "  called      recorded_graph_test.cpp:\n"
          "  because     a replay follows the operations as they were recorded\n"
          "  try         wait for the event that replay returned before you change the graph");
    gate.trigger();
    wait(done);
    ran = 0;
    g.add(after(a), [&] { ++ran; });
    wait(g.replay());
    CHECK(ran == 2);
  });
}

TEST_CASE("handles of other graphs, other runtimes and other threads are refused") {
  runtime rt({.workers = 1});
  rt.run([] {
    recorded_graph g(name("mine")), other(name("other"));
    const auto theirs = other.add([] {});
    const auto port = other.add_precondition();
    CHECK(thrown_without_lines([&] { g.add(after(theirs), [] {}); }) ==
          "error S22: an operation of another graph was given to \"add\" of graph \"mine\"\n"
          "  called      recorded_graph_test.cpp:\n"
          "  because     a handle belongs to the graph whose add returned it\n"
          "  try         to order whole graphs, replay one after the other's event; or call replay in a body, and "
          "return its event");
    CHECK_THROWS_AS(g.add(after(recorded_operation{}), [] {}), error);
    CHECK_THROWS_AS(g.replay({}, {bind(port, event())}), error);
    CHECK_THROWS_AS(g.add(priority(1000), [] {}), error);
    CHECK_THROWS_AS(g.add(on(worker(7)), [] {}), error);
    CHECK(g.statistics().operations == 0);
    std::thread([&] { CHECK_THROWS_AS(g.replay(), error); }).join();
  });
}

TEST_CASE("a graph belongs to the runtime that it was recorded in") {
  std::unique_ptr<recorded_graph<>> g;
  {
    runtime first({.workers = 1});
    first.run([&] {
      g = std::make_unique<recorded_graph<>>(name("first"));
      g->add([] {});
      wait(g->replay());
    });
  }
  runtime second({.workers = 1});
  second.run([&] {
    CHECK(thrown_without_lines([&] { g->replay(); }) ==
          "error S23: graph \"first\" was replayed in a runtime other than the one that recorded it\n"
          "  called      recorded_graph_test.cpp:\n"
          "  because     the places of its operations were determined when they were recorded\n"
          "  try         make one graph per runtime");
  });
}

TEST_CASE("a graph may be destroyed while its replays are in progress") {
  with_runtimes([] {
    const auto gate = user_event::create();
    int ran = 0;
    event done;
    {
      recorded_graph g;
      g.add(after(g.add([&] { ++ran; })), [&] { ++ran; });
      g.replay(after(gate));
      done = g.replay();
    }
    gate.trigger();
    wait(done);
    CHECK(ran == 4);
  });
}

TEST_CASE("attached threads record and replay") {
  runtime rt({.workers = 2});
  std::atomic<int> ran{0};
  const attached_thread here(rt);
  recorded_graph g;
  const auto a = g.add([&] { ++ran; });
  g.add(after(a), on(worker(1)), [&] {
    ++ran;
    CHECK(this_worker() == 1);
  });
  g.add(after(a), priority(5), [&] { ++ran; });
  for (int i = 0; i < 20; ++i) wait(g.replay());
  CHECK(ran == 60);
  CHECK(g.statistics().states == 1);
}

TEST_CASE("a stepped runtime replays a graph in an order that its seed decides") {
  std::set<std::string> orders;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto order_of = [&] {
      std::string order;
      runtime rt({.workers = 2, .seed = seed, .stepped = true});
      rt.run([&] {
        recorded_graph g;
        const auto a = g.add([&] { order += 'a'; });
        for (char c = 'b'; c < 'g'; ++c) g.add(after(a), [&order, c] { order += c; });
        g.replay();
        wait(g.replay());  // suspends: from here on the seed draws
      });
      return order;
    };
    const std::string order = order_of();
    CHECK(order.size() == 12);
    CHECK(order == order_of());
    orders.insert(order);
  }
  CHECK(orders.size() > 1);
}

TEST_CASE("replays that still wait when the runtime ends are skipped, and their graph is freed") {
  const auto owned = std::make_shared<int>(0);
  {
    runtime rt({.workers = 2});
    const attached_thread here(rt);
    recorded_graph g;
    const auto a = g.add([owned] { ++*owned; });
    g.add(after(a), [owned] { ++*owned; });
    g.replay(after(user_event::create()));
    g.replay();
  }
  CHECK(owned.use_count() == 1);
  CHECK(*owned == 2);  // the first was skipped; the second came in turn, after its end
}

TEST_CASE("long chains of replays and of operations use constant stack") {
  runtime rt({.workers = 1});
  rt.run([] {
    recorded_graph g;  // every operation of it runs where its predecessor ended
    recorded_operation last = g.add_precondition();
    for (int i = 0; i < 20000; ++i) last = g.add_postcondition(after(last));
    const auto gate = user_event::create();
    event end = g.replay(after(gate));
    recorded_graph small;
    small.add_postcondition(after(small.add_precondition()));
    for (int i = 0; i < 20000; ++i) end = small.replay(after(end));
    gate.trigger();
    wait(end);
    const auto poison = user_event::create();
    const event skipped = g.replay(after(poison));
    poison.poison(std::make_exception_ptr(std::runtime_error("no")));
    CHECK_THROWS_AS(wait(skipped), stretto::poisoned);
  });
}

TEST_CASE("random graphs: every operation sees the effects of its predecessors, in every replay, from many threads") {
  const int seeds = test::scaled(30, 1000);
  for (int seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const std::uint32_t workers = 1u << random() % 3;
    const bool stepped = random() % 2;
    const auto overlap = random() % 2 ? replays::overlapping : replays::in_turn;
    runtime rt({.workers = workers, .seed = static_cast<std::uint64_t>(seed), .stepped = stepped});
    rt.run([&] {
      constexpr int most_replays = 8;
      const std::size_t n = 1 + random() % 40;
      std::vector<std::array<std::atomic<int>, most_replays>> runs(n);
      std::atomic<int> too_early{0};
      recorded_graph<int> g(overlap);
      std::vector<recorded_operation> operations;
      std::vector<std::vector<std::size_t>> before(n);
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<recorded_operation> list;
        for (std::uint64_t k = i ? random() % 4 : 0; k-- > 0;) {
          before[i].push_back(random() % i);
          list.push_back(operations[before[i].back()]);
        }
        const auto kind = random() % 5;
        operations.push_back(g.add(after(list), [&, i, kind](int replay) -> event {
          for (const std::size_t b : before[i]) too_early += runs[b][replay].load() != 1;
          if (kind == 0) yield();
          ++runs[i][replay];
          if (kind == 1) return async([] {});
          return {};
        }));
      }
      finish([&] {
        for (int replay = 0; replay < most_replays; ++replay) {
          if (replay % 3 == 2) async([&, replay] { g.replay(replay); });
          else g.replay(replay, after(async([] {})));
        }
      });
      CHECK(g.statistics().replays == most_replays);
      CHECK(g.statistics().under_way == 0);
      CHECK(too_early == 0);
      for (auto& operation : runs)
        for (auto& count : operation) CHECK(count == 1);
    });
  }
}
