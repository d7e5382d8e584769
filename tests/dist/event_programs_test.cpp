// Random programs of events over many nodes against a serial model: stepped from seeds, with nodes that die and links
// that are cut, and threaded.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "campaign.hpp"
#include "dist/cluster.hpp"
#include "dist/event_model.hpp"

using namespace stretto;
using namespace stretto::testing;

namespace {

/// A waiter on some node, and how it was notified.
struct watcher : waiter {
  std::size_t node, which;
  std::atomic<int> fired{0};
  std::string cause;

  watcher(std::size_t node, std::size_t which) : node(node), which(which) {
    fire = [](waiter& self, const failure* why, base::thread_context&) noexcept {
      auto& here = static_cast<watcher&>(self);
      if (why) here.cause = exception_text(why->as_exception());
      here.fired.fetch_add(1, std::memory_order_release);
    };
  }
  void watch(event e, base::thread_context& context) {
    if (!detail::subscribe(e, *this, context)) fire(*this, detail::cause_of(e, context).get(), context);
  }
};

struct trial {
  std::deque<watcher> watchers;  // they outlive the nodes, on which some may still wait
  std::mt19937_64 random;
  cluster nodes;
  event_model serial;
  std::vector<event> handles;
  bool has_losses = false;

  explicit trial(std::uint64_t seed, std::uint32_t most_nodes = 64)
      : random(seed),
        nodes(
            {.nodes = 1 + static_cast<std::uint32_t>(random() % (random() % 4 ? std::min(most_nodes, 6u) : most_nodes)),
             .seed = seed,
             .jitter_seconds = random() % 2 ? 2e-6 : 1e-4,
             .eager_bytes = random() % 4 ? 4096u : 300u}) {}

  std::size_t below(std::size_t n) { return random() % n; }
  std::size_t living() {
    for (;;)
      if (const auto n = below(nodes.size()); !nodes[n].is_dead) return n;
  }
  std::size_t any() { return below(handles.size()); }
  void add(event e, event_model::one one) {
    handles.push_back(e);
    serial.all.push_back(std::move(one));
  }
  void add_user() {
    const auto n = living();
    add(nodes.on(n, [] { return user_event::create(); }), {n});
  }
  void end(std::size_t i, std::size_t from, const std::string& cause) {
    nodes.on(from, [&] { cause.empty() ? as_user(handles[i]).trigger() : as_user(handles[i]).poison(trouble(cause)); });
    serial.all[i].ended = true;
    serial.all[i].cause = cause;
    serial.all[i].poisoned_on = from;
  }

  void do_something(int step) {
    switch (below(10)) {
      case 0:
      case 1: return add_user();
      case 2:
      case 3: {
        const auto i = any();
        if (serial.all[i].what != event_model::kind::user || serial.all[i].ended) return;
        return end(i, living(), below(4) ? "" : "step " + std::to_string(step));
      }
      case 4: {  // deferred, from any node
        const auto i = any(), after = any();
        if (serial.all[i].what != event_model::kind::user || serial.all[i].ended || serial.waits_for(after, i)) return;
        nodes.on(living(), [&] { as_user(handles[i]).trigger(handles[after]); });
        serial.all[i].what = event_model::kind::follow;
        serial.all[i].inputs = {after};
        return;
      }
      case 5:
      case 6: {
        const auto n = living();
        event_model::one one{n, event_model::kind::merge, {}};
        std::vector<event> inputs;
        for (auto k = below(9); k > 0; --k) {
          one.inputs.push_back(any());
          inputs.push_back(handles[one.inputs.back()]);
        }
        return add(nodes.on(n, [&] { return merge(inputs); }), std::move(one));
      }
      case 7: {
        const auto i = any(), n = living();
        return add(nodes.on(n, [&] { return ignore_failure(handles[i]); }), {n, event_model::kind::survive, {i}});
      }
      case 8: {
        const auto i = any(), n = living();
        return nodes.on(n, [&] { watchers.emplace_back(n, i).watch(handles[i], nodes[n].context); });
      }
      case 9: {  // any observed state is the final one
        const auto i = any(), n = living();
        const bool has = nodes.on(n, [&] { return handles[i].has_triggered(); });
        serial.settle();
        if (!has_losses) REQUIRE((!has || serial.all[i].ended));
        return;
      }
    }
  }

  void run(int steps) {
    add_user();
    for (int step = 0; step < steps; ++step) {
      do_something(step);
      for (auto n = below(4); n > 0; --n) nodes.poll(below(nodes.size()));
    }
  }

  std::string said_on(std::size_t node, std::size_t i) const {
    const auto& one = serial.all[i];
    return one.cause.empty() || node == one.poisoned_on ? one.cause
                                                        : one.cause + " (on N" + std::to_string(one.poisoned_on) + ")";
  }
};

std::uint64_t seeds() { return test::scaled_of_one_thread<std::uint64_t>(150, 6'000); }

}  // namespace

TEST_SUITE_BEGIN("dist");

TEST_CASE("random programs of events over many nodes behave like a serial program") {
  for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
    CAPTURE(seed);
    trial t(seed);
    t.run(20 + static_cast<int>(t.below(150)));
    for (std::size_t i = 0; i < t.handles.size(); ++i)
      if (t.serial.all[i].what == event_model::kind::user && !t.serial.all[i].ended) t.end(i, t.living(), "");
    t.serial.settle();
    t.nodes.settle(t.random);
    for (const watcher& w : t.watchers) {
      REQUIRE(w.fired == 1);
      REQUIRE(w.cause == t.said_on(w.node, w.which));
    }
    for (std::size_t n = 0; n < t.nodes.size(); ++n) {
      std::vector<std::size_t> some;
      for (int k = 0; k < 5; ++k) some.push_back(t.any());
      for (const auto i : some) t.nodes.on(n, [&] { t.handles[i].has_triggered(); });
      t.nodes.settle(t.random);
      for (const auto i : some)
        t.nodes.on(n, [&] {
          REQUIRE(t.handles[i].has_triggered());
          REQUIRE(words_of_cause(t.handles[i]) == t.said_on(n, i));
        });
      REQUIRE(t.nodes[n].reports.empty());
      REQUIRE(t.nodes.on(n, [] { return current_event_statistics().untriggered; }) == 0);
    }
  }
}

TEST_CASE("if nodes die and links are cut, every event ends as planned or with the loss") {
  for (std::uint64_t seed = 0; seed < seeds(); ++seed) {
    CAPTURE(seed);
    trial t(seed, seed % 25 < 24 ? 16 : 64);
    if (t.nodes.size() < 2) continue;
    t.has_losses = true;
    const int losses = 1 + static_cast<int>(t.below(3));
    for (int l = 0; l <= losses; ++l) {
      t.run(10 + static_cast<int>(t.below(60)));
      if (l == losses) break;
      const auto a = t.living(), b = t.living();
      std::size_t left = 0;
      for (std::size_t n = 0; n < t.nodes.size(); ++n) left += !t.nodes[n].is_dead;
      if (t.below(2) && a != b)
        t.nodes.network->cut(static_cast<net::node_number>(a), static_cast<net::node_number>(b));
      else if (left > 1) t.nodes.kill(a);
    }
    t.nodes.settle(t.random);
    // The owner ends what a lost node or link has taken along. An event that has ended already throws E01.
    for (std::size_t i = 0; i < t.handles.size(); ++i) {
      const auto owner = detail::node_of(t.handles[i]);
      if (t.handles[i] == event() || t.nodes[owner].is_dead) continue;
      t.nodes.on(owner, [&] {
        if (!t.handles[i].has_triggered()) message_of([&] { as_user(t.handles[i]).trigger(); });
      });
    }
    t.nodes.settle(t.random);
    for (const watcher& w : t.watchers) {
      if (t.nodes[w.node].is_dead) continue;
      REQUIRE(w.fired == 1);
      const std::string now = t.nodes.on(w.node, [&] { return words_of_cause(t.handles[w.which]); });
      REQUIRE(w.cause == now);
    }
    t.serial.settle();
    for (std::size_t n = 0; n < t.nodes.size(); ++n) {
      if (t.nodes[n].is_dead) continue;
      for (const event e : t.handles) t.nodes.on(n, [&] { e.has_triggered(); });
    }
    t.nodes.settle(t.random);
    for (std::size_t n = 0; n < t.nodes.size(); ++n) {
      if (t.nodes[n].is_dead) continue;
      for (std::size_t i = 0; i < t.handles.size(); ++i)
        t.nodes.on(n, [&] {
          REQUIRE(t.handles[i].has_triggered());
          const std::string cause = words_of_cause(t.handles[i]);
          const bool is_by_loss = cause.find("error N05") != cause.npos;
          const bool is_by_program = cause.empty() || cause.starts_with("step ");
          REQUIRE((is_by_loss || is_by_program));
        });
    }
  }
}

namespace {

/// One operation of one thread of one node on one event.
struct deed {
  std::size_t node, thread, which;
};

/// A plan in which one operation ends each event, ordered so that nothing waits for itself.
void run_threaded(std::uint64_t seed, std::uint32_t node_count, unsigned threads) {
  std::mt19937_64 random(seed);
  cluster nodes({.nodes = node_count, .seed = seed});
  const std::size_t count = 40 + random() % 80;
  struct planned {
    event e;
    std::vector<std::size_t> inputs;  // earlier events; none: triggered by hand
    deed by;
    bool is_poisoned;
    std::string cause;
    std::size_t poisoned_on = 0;
  };
  std::vector<planned> plan(count);
  for (std::size_t i = 0; i < count; ++i) {
    planned& p = plan[i];
    const auto owner = random() % node_count;
    p.e = nodes.on(owner, [] { return user_event::create(); });
    p.by = {random() % node_count, random() % threads, i};
    if (i > 4 && random() % 2)
      for (auto k = 1 + random() % 4; k > 0; --k) p.inputs.push_back(random() % i);
    p.is_poisoned = p.inputs.empty() && random() % 5 == 0;
    if (p.is_poisoned) p.cause = "event " + std::to_string(i), p.poisoned_on = p.by.node;
    for (const auto in : p.inputs)
      if (p.cause.empty() && !plan[in].cause.empty()) p.cause = plan[in].cause, p.poisoned_on = plan[in].poisoned_on;
  }
  std::vector<std::deque<watcher>> watchers(node_count * threads);
  std::atomic<std::size_t> fired_threads{0};
  std::vector<std::jthread> all;
  for (std::size_t n = 0; n < node_count; ++n)
    for (unsigned t = 0; t < threads; ++t) {
      // The operations and queries of a thread, in a random order.
      const auto own = random();
      all.emplace_back([&, n, t, own] {
        std::mt19937_64 mine(own);
        member here(nodes[n].world, t + 1);
        auto& watching = watchers[n * threads + t];
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < count; ++i) order.push_back(i);
        std::shuffle(order.begin(), order.end(), mine);
        for (const auto i : order) {
          const planned& p = plan[i];
          if (mine() % 3 == 0) watching.emplace_back(n, i).watch(p.e, here.context);
          if (mine() % 8 == 0 && p.e.has_triggered()) p.e.is_poisoned();
          if (t == 0) nodes[n].job.poll();
          if (p.by.node != n || p.by.thread != t) continue;
          std::vector<event> inputs;
          for (const auto in : p.inputs) inputs.push_back(plan[in].e);
          if (p.is_poisoned) as_user(p.e).poison(trouble("event " + std::to_string(i)));
          else if (inputs.empty()) as_user(p.e).trigger();
          else as_user(p.e).trigger(inputs.size() == 1 ? inputs[0] : merge(inputs));
        }
        const auto is_over = [&] {
          return std::ranges::all_of(watching,
                                     [](const watcher& w) { return w.fired.load(std::memory_order_acquire) > 0; });
        };
        bool told = false;
        while (fired_threads.load() < node_count * threads) {
          if (t == 0) nodes[n].job.poll();
          if (!told && is_over()) told = true, fired_threads.fetch_add(1);
          std::this_thread::yield();
        }
      });
    }
  all.clear();
  nodes.settle(random);
  for (auto& of_thread : watchers)
    for (const watcher& w : of_thread) {
      const planned& p = plan[w.which];
      REQUIRE(w.fired == 1);
      REQUIRE(w.cause == (p.cause.empty() || w.node == p.poisoned_on
                              ? p.cause
                              : p.cause + " (on N" + std::to_string(p.poisoned_on) + ")"));
    }
  for (std::size_t n = 0; n < node_count; ++n) {
    for (const planned& p : plan) nodes.on(n, [&] { p.e.has_triggered(); });
    nodes.settle(random);
    for (const planned& p : plan) nodes.on(n, [&] { REQUIRE(p.e.has_triggered()); });
    REQUIRE(nodes[n].reports.empty());
  }
}

}  // namespace

TEST_CASE("nodes with one thread each follow the plan") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(8, 300); ++seed) {
    CAPTURE(seed);
    run_threaded(seed, 1 + static_cast<std::uint32_t>(seed % 6), 1);
  }
}

TEST_CASE("nodes with several threads each follow the plan") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(8, 300); ++seed) {
    CAPTURE(seed);
    run_threaded(seed, 2 + static_cast<std::uint32_t>(seed % 3), 2 + static_cast<unsigned>(seed % 2));
  }
}

TEST_SUITE_END();
