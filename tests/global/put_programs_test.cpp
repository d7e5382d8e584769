// Random programs of puts and gets between nodes, against a serial model: stepped from seeds, with cuts and deaths, and
// with threads. Each shared object has one node that puts there and gets from there, in the order in which the model
// counts.
#include <doctest/doctest.h>

#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/global_object.hpp>
#include <stretto/job.hpp>
#include <stretto/platform.hpp>
#include <stretto/received_buffer.hpp>
#include <stretto/runtime.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "dist/stepped_nodes.hpp"
#include "mobile/device_job.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(put_fill, (out<int> x, int first), { x(global_id(0)) = first + global_id(0); })
STRETTO_KERNEL(put_times, (inout<int> x, int by), { x(global_id(0)) = 3 * x(global_id(0)) + by; })

using values = std::vector<int>;
values counted(int first, std::int64_t n) {
  values v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), first);
  return v;
}
int times_three(int x, int by) { return static_cast<int>(3u * static_cast<unsigned>(x) + static_cast<unsigned>(by)); }
int sum_of(const values& v) {
  unsigned sum = 0;
  for (const int x : v) sum += static_cast<unsigned>(x);
  return static_cast<int>(sum);
}

/// Handlers.
int summed(object<int>& o, int from, int to) {
  const auto held = o.read(box(from, to)).get();
  return sum_of(values(&held.view()(from), &held.view()(from) + (to - from)));
}
void times(object<int>& o, int by) { launch(put_times, o.elements(), o, by); }
int summed_buffer(const received_buffer<int>& b) {
  values v(static_cast<std::size_t>(b.size()));
  const auto here = instance<int>::external(v.data(), box(0, b.size()));
  wait(copy(b.elements(), here));
  here.destroy();
  return sum_of(v);
}

struct put_trial : test::stepped_nodes {
  test::random_homes homes;

  struct array {  // of one node, or shared with it by another
    object<int> mine = {};
    global_object<int> there = {};
    values model = {};
    std::uint32_t driver = 0, owner = 0;
    bool is_ended = false;
  };
  struct reading {
    std::uint32_t node;
    std::size_t sent_before;
    future<void> done;
    std::unique_ptr<values> seen;
    values expected;
  };
  struct answering {
    std::uint32_t node;
    std::size_t sent_before;
    future<int> sum;
    int expected;
    std::unique_ptr<values> kept = {};
  };
  std::vector<std::vector<array>> locals, shared;  // by node that uses them
  std::vector<std::vector<future<void>>> sent;     // by node
  std::vector<std::unique_ptr<values>> spans;
  std::vector<reading> readings;
  std::vector<answering> answers;
  std::vector<std::pair<std::uint32_t, user_event>> events;

  static constexpr const char* devices[] = {"sim:2",          "sim(in_place)", "none",
                                            "sim(memory=2M)", "sim(exports)",  "sim:2(exports)"};

  put_trial(std::uint64_t seed, std::uint32_t most_nodes, test::homes which = test::homes::nowhere)
      : stepped_nodes(seed, most_nodes, devices), homes(which, seed), locals(nodes), shared(nodes), sent(nodes) {
    for (std::uint32_t n = 0; n < nodes; ++n)
      for (std::size_t i = 0; i < 2; ++i) {
        array& l = locals[n].emplace_back();
        l.driver = l.owner = n;
        make(l, n);
        array& s = shared[n].emplace_back();
        s.driver = n;
        s.owner = draw();
        make(s, s.owner);
        on(s.owner, [&] { s.there = share(s.mine); });
        if (random() % 2) on(s.owner, [&] { s.mine = {}; });
      }
  }
  ~put_trial() {
    for (auto& s : shared)
      for (array& a : s) on(a.owner, [&] { a.mine = {}; });
    for (std::uint32_t n = 0; n < nodes; ++n)
      on(n, [&] {
        locals[n].clear();
        sent[n].clear();
      });
    for (auto& r : readings) on(r.node, [&] { r.done = {}; });
    for (auto& r : answers) on(r.node, [&] { r.sum = {}; });
    end_job();
  }

  void make(array& a, std::uint32_t node) {
    const coordinate size = random() % 8 ? coordinate(1 + random() % (random() % 2 ? 400 : 6000)) : 300'000;
    const int first = static_cast<int>(random() % 1000);
    a.model = counted(first, size);
    on(node, [&] {
      a.mine = object<int>(box(0, size), {.memory = homes.next(all[node]->machine())});
      launch(put_fill, a.mine.elements(), a.mine, first);
    });
  }
  /// Random parts of both arrays with equally many elements.
  std::pair<box, box> parts_of(const array& one, const array& other) {
    const auto most = static_cast<coordinate>(std::min(one.model.size(), other.model.size()));
    const coordinate length = random() % 3 ? 1 + coordinate(random() % std::uint64_t(most)) : most;
    const auto somewhere = [&](const array& a) {
      const coordinate from = coordinate(random() % (a.model.size() - std::size_t(length) + 1));
      return box(from, from + length);
    };
    return {somewhere(one), somewhere(other)};
  }
  static void assign(array& to, const box& part, const array& from, const box& of) {
    const values moved(from.model.begin() + of.min()[0], from.model.begin() + of.max()[0]);
    std::ranges::copy(moved, to.model.begin() + part.min()[0]);
  }
  void look(const array& a) {
    readings.push_back({a.driver, sent[a.driver].size(), {}, std::make_unique<values>(a.model.size()), a.model});
    on(a.driver, [&] {
      auto& r = readings.back();
      r.done =
          a.there.is_valid() ? get(a.there, std::span(*r.seen)) : async(after(a.mine.copy_to(r.seen->data())), [] {});
    });
  }
  bool is_settled(std::uint32_t node) {
    return std::ranges::all_of(sent[node], [](const future<void>& f) { return f.is_ready(); }) &&
           std::ranges::all_of(answers, [&](const answering& a) { return a.node != node || a.sum.is_ready(); });
  }

  void do_something() {
    const std::uint32_t n = draw();
    if (is_dead[n]) return step(10);
    array &mine = locals[n][random() % 2], &there = shared[n][random() % 2];
    const auto [here, far] = parts_of(mine, there);
    switch (random() % 14) {
      case 0:
      case 1:
      case 2:
      case 3:
        on(n, [&] {
          sent[n].push_back(random() % 2 ? put(mine.mine(here), there.there(far))
                                         : put(name("put"), mine.mine(here), there.there(far)));
        });
        assign(there, far, mine, here);
        break;
      case 4: {
        spans.push_back(std::make_unique<values>(counted(static_cast<int>(random() % 1000), here.length(0))));
        on(n, [&] { sent[n].push_back(put(std::span(std::as_const(*spans.back())), there.there(far))); });
        std::ranges::copy(*spans.back(), there.model.begin() + far.min()[0]);
        break;
      }
      case 5:
      case 6:
      case 7:
        on(n, [&] { sent[n].push_back(get(there.there(far), mine.mine(here))); });
        assign(mine, here, there, far);
        break;
      case 8: {
        on(n, [&] {
          events.emplace_back(n, user_event::create());
          sent[n].push_back(put(after(events.back().second), mine.mine(here), there.there(far)));
        });
        assign(there, far, mine, here);
        break;
      }
      case 9: {
        const int by = static_cast<int>(random() % 100);
        for (int& x : mine.model) x = times_three(x, by);
        on(n, [&] { launch(put_times, mine.mine.elements(), mine.mine, by); });
        break;
      }
      case 10: {  // the handler runs before later messages are handled
        if (has_losses || !events.empty()) break;
        const int by = static_cast<int>(random() % 100);
        assign(there, far, mine, here);
        for (int& x : there.model) x = times_three(x, by);
        on(n, [&] { sent[n].push_back(put(mine.mine(here), there.there(far), call<&times>(by))); });
        step_until([&] { return is_settled(n); });
        break;
      }
      case 11: {
        if (has_losses || !events.empty()) break;
        assign(there, far, mine, here);
        const int from = static_cast<int>(far.min()[0]), to = static_cast<int>(far.max()[0]);
        on(n, [&] {
          answers.push_back({n, sent[n].size(), put(mine.mine(here), there.there(far), call<&summed>(from, to)),
                             sum_of(values(mine.model.begin() + here.min()[0], mine.model.begin() + here.max()[0]))});
        });
        step_until([&] { return is_settled(n); });
        break;
      }
      case 12: {
        auto kept = std::make_unique<values>(counted(static_cast<int>(random() % 1000), here.length(0)));
        const int expected = sum_of(*kept);
        on(n, [&] {
          const auto sum = send_buffer(at_node(draw()), std::span(std::as_const(*kept)), call<&summed_buffer>());
          answers.push_back({n, sent[n].size(), sum, expected, std::move(kept)});
        });
        break;
      }
      default:
        if (random() % 3 == 0) look(random() % 2 ? mine : there);
        if (events.empty()) break;
        on(events.front().first, [&] { events.front().second.trigger(); });
        events.erase(events.begin());
    }
    if (random() % 3) step(random() % (random() % 8 ? 40 : 400));
  }
  void finish_all() {
    for (auto& [node, e] : events) on(node, [&] { e.trigger(); });
    events.clear();
    for (std::uint32_t n = 0; n < nodes; ++n)
      if (!is_dead[n])
        for (std::size_t i = 0; i < 2; ++i) look(locals[n][i]), look(shared[n][i]);
    step_until([&] { return std::ranges::all_of(readings, [](const reading& r) { return r.done.is_ready(); }); });
    for (std::uint32_t n = 0; n < nodes; ++n) step_until([&] { return is_settled(n); });
    for (std::uint32_t n = 0; n < nodes; ++n)
      for (array& a : shared[n])
        if (!is_dead[n]) on(n, [&] { sent[n].push_back(unshare(a.there)); });
    for (std::uint32_t n = 0; n < nodes; ++n) step_until([&] { return is_settled(n); });
    step(50 * nodes);
  }
  void must_be_a_loss(const std::exception& e) {
    const std::string words = e.what();
    CHECK(has_losses);
    CHECK_MESSAGE((words.find("N05") != words.npos || words.find("G06") != words.npos), words);
  }
  bool went_well(std::uint32_t node, std::size_t before) {
    return std::all_of(sent[node].begin(), sent[node].begin() + std::ptrdiff_t(before),
                       [](const future<void>& f) { return bool(f.result()); });
  }
  void check() {
    for (reading& r : readings)
      if (!is_dead[r.node])
        on(r.node, [&] {
          try {
            r.done.get();
            if (went_well(r.node, r.sent_before)) CHECK(*r.seen == r.expected);
          } catch (const std::exception& e) {
            must_be_a_loss(e);
          }
        });
    for (answering& a : answers)
      if (!is_dead[a.node])
        on(a.node, [&] {
          try {
            const int sum = a.sum.get();
            if (went_well(a.node, a.sent_before)) CHECK(sum == a.expected);
          } catch (const std::exception& e) {
            must_be_a_loss(e);
          }
        });
    for (std::uint32_t n = 0; n < nodes; ++n)
      if (!is_dead[n])
        on(n, [&] {
          for (const auto& f : sent[n]) {
            try {
              f.get();
            } catch (const std::exception& e) {
              must_be_a_loss(e);
            }
          }
        });
  }
};

TEST_CASE("objects into which nodes put, and from which they get, are what a serial model says") {
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(8, 600); ++seed) {
    CAPTURE(seed);
    put_trial t(seed, seed % 10 ? 4 : 12);
    for (int i = 0; i < 100; ++i) t.do_something();
    t.finish_all();
    t.check();
    test::check_nothing_is_held(t);
  }
}

TEST_CASE("so they are where some live in memory that host and device use in place, which is small") {
  const test::with_variable quiet("STRETTO_LOG", "off");
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(8, 600); ++seed) {
    CAPTURE(seed);
    const test::with_variable memory("STRETTO_DEVICE_HOST_MEMORY", seed % 2 ? "1500k" : "64M");
    put_trial t(seed, 4, test::homes::of_some);
    for (int i = 0; i < 100; ++i) {
      t.do_something();
      if (seed % 4 == 0 && t.nodes > 1 && t.random() % 40 == 0) t.lose_some();
    }
    t.finish_all();
    t.check();
    if (!t.has_losses) test::check_nothing_is_held(t);
  }
}

TEST_CASE("where nodes die and links are cut, what was put and got is right or lost, and all ends") {
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(8, 600); ++seed) {
    CAPTURE(seed);
    put_trial t(seed * 13 + 7, 5);
    for (int i = 0; i < 100; ++i) {
      t.do_something();
      if (t.nodes > 1 && t.random() % 40 == 0) t.lose_some();
    }
    t.finish_all();
    t.check();
  }
}

TEST_CASE("threads of many nodes put into one another's objects at the same time") {
  for (std::uint64_t seed = 1; seed <= test::scaled<std::uint64_t>(4, 200); ++seed) {
    CAPTURE(seed);
    const std::uint32_t nodes = 2 + std::uint32_t(seed % 3);
    const simulated_job job({.nodes = nodes, .seed = seed, .jitter_seconds = seed % 2 ? 2e-6 : 1e-5});
    test::on_device_nodes(job, seed % 2 ? "sim:2" : "sim", [&] {
      const std::uint32_t me = this_node();
      finish([&] {
        for (std::uint32_t task = 0; task < 2; ++task)
          async([&, task] {
            std::mt19937_64 random(seed * 1000 + me * 10 + task);
            const coordinate n = random() % 2 ? 300 : 5000;
            const auto there =
                async(at_node(std::uint32_t(random() % nodes)), call(
                                                                    [](coordinate n) {
                                                                      object<int> o(box(0, n));
                                                                      launch(put_fill, o.elements(), o, 0);
                                                                      return share(o);
                                                                    },
                                                                    n))
                    .get();
            values model = counted(0, n), mine_model = counted(5, n);
            object<int> mine(box(0, n));
            launch(put_fill, mine.elements(), mine, 5);
            for (int i = 0; i < 30; ++i) {
              const coordinate from = coordinate(random()) & 127, to = from + 1 + (coordinate(random()) & 127);
              const box part(from, to);
              switch (random() % 5) {
                case 0:
                case 1:
                  put(mine(part), there(part));
                  std::copy(mine_model.begin() + from, mine_model.begin() + to, model.begin() + from);
                  break;
                case 2:
                  get(there(part), mine(part));
                  std::copy(model.begin() + from, model.begin() + to, mine_model.begin() + from);
                  break;
                case 3:
                  launch(put_times, mine.elements(), mine, i);
                  for (int& x : mine_model) x = times_three(x, i);
                  break;
                default: {
                  put(mine, there, call<&times>(i)).get();
                  model = mine_model;
                  for (int& x : model) x = times_three(x, i);
                }
              }
            }
            values seen(model.size()), seen_here(model.size());
            get(there, std::span(seen)).get();
            wait(mine.copy_to(seen_here.data()));
            CHECK(seen == model);
            CHECK(seen_here == mine_model);
            unshare(there).get();
          });
      });
    });
  }
}

}  // namespace
}  // namespace stretto
