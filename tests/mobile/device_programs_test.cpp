// Random programs of mobile objects that own arrays on devices, against a serial model: stepped from seeds, with cut
// links and failing nodes, and with threads. One node sends to each mobile object, in the order in which the model
// counts.
#include <doctest/doctest.h>

#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/mobile.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
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

STRETTO_KERNEL(store_fill, (out<int> x, int first), { x(global_id(0)) = first + global_id(0); })
STRETTO_KERNEL(store_add, (inout<int> x, int by), { x(global_id(0)) += by; })
STRETTO_KERNEL(store_combine, (inout<int> x, in<int> y),
               { x(global_id(0)) = (3 * x(global_id(0)) + y(global_id(0))) % 65536; })

constexpr std::size_t slots = 3;
using values = std::vector<int>;

/// Handlers return before their launches end; handlers that read the array wait.
struct store {
  std::array<object<int>, slots> all;

  void put(std::size_t slot, object<int> o) { all[slot] = std::move(o); }
  void add(std::size_t slot, int by) { launch(store_add, all[slot].elements(), all[slot], by); }
  void combine(std::size_t slot, const object<int>& o) { launch(store_combine, o.elements(), all[slot], o); }
  object<int> get(std::size_t slot) const { return all[slot]; }
  object<int> exchange(std::size_t slot, object<int> o) { return std::exchange(all[slot], std::move(o)); }
  void give(std::size_t slot, mobile<store> to) { send(to, call<&store::put>(slot, all[slot])); }
  values look(std::size_t slot) const {
    const auto held = all[slot].read().get();
    const auto v = held.view();
    return values(&v(v.min(0)), &v(v.min(0)) + (v.max(0) - v.min(0)));
  }
  template <class Archive>
  friend void fields(Archive& a, archived<store, Archive>& s) {
    a(s.all);
  }
};

struct device_trial : test::stepped_nodes {
  test::random_homes homes;
  std::array<int, slots> sizes{};

  struct pending {
    std::uint32_t node;
    future<void> done;
  };
  struct reading {
    std::uint32_t node;
    std::size_t of, sent_before;  // how many futures of it were pending then
    future<values> seen;
    values expected;
  };
  struct moving {  // a result that is sent on to another object
    std::size_t from, to, slot;
    future<object<int>> what;
    values content;
  };
  struct one {
    std::uint32_t driver = 0;
    mobile<store> is;
    std::array<values, slots> model;
    std::vector<future<void>> sent;
    bool is_certain = true;
  };
  struct kept {
    std::uint32_t node;
    object<int> what;
    values expected;
  };
  std::vector<one> stores;
  std::vector<reading> readings;
  std::vector<moving> moves;
  std::vector<kept> keeps;
  std::vector<std::pair<std::uint32_t, user_event>> events;

  static constexpr const char* devices[] = {"sim:2", "sim(exports)", "none", "sim:2(exports)"};

  device_trial(std::uint64_t seed, std::uint32_t most_nodes, test::homes which = test::homes::nowhere)
      : stepped_nodes(seed, most_nodes, devices), homes(which, seed) {
    sizes = {int(1 + random() % 500), int(600 + random() % 3000), random() % 8 ? 20'000 : 400'000};
    stores.resize(1 + random() % 5);
    for (std::size_t s = 0; s < stores.size(); ++s) {
      stores[s].driver = draw();
      on(stores[s].driver,
         [&] { stores[s].is = random() % 2 ? make_mobile<store>() : make_mobile<store>(at_node(draw())); });
      for (std::size_t slot = 0; slot < slots; ++slot) put_new(s, slot);
    }
  }
  ~device_trial() {
    for (auto& s : stores) on(s.driver, [&] { s.sent.clear(); });
    for (auto& r : readings) on(r.node, [&] { r.seen = {}; });
    for (auto& m : moves) on(stores[m.from].driver, [&] { m.what = {}; });
    for (auto& k : keeps) on(k.node, [&] { k.what = {}; });
    end_job();
  }

  values content(std::size_t slot, int first) const {
    values v(static_cast<std::size_t>(sizes[slot]));
    std::iota(v.begin(), v.end(), first);
    return v;
  }
  /// On the node where this runs. Some launches wait for an event that triggers later.
  object<int> made(std::size_t slot, int first, std::uint32_t node) {
    object<int> o(box(0, sizes[slot]), {.memory = homes.next(all[node]->machine())});
    if (random() % 4) {
      launch(store_fill, o.elements(), o, first);
    } else {
      const auto e = user_event::create();
      events.emplace_back(node, e);
      launch(after(e), store_fill, o.elements(), o, first);
    }
    return o;
  }
  void keep(std::size_t s, future<void> f) { stores[s].sent.push_back(std::move(f)); }
  void put_new(std::size_t s, std::size_t slot) {
    one& to = stores[s];
    const int first = static_cast<int>(random() % 1000);
    to.model[slot] = content(slot, first);
    on(to.driver, [&] {
      object<int> o = made(slot, first, to.driver);
      if (random() % 3) return keep(s, send(to.is, call<&store::put>(slot, std::move(o))));
      keep(s, send(to.is, call<&store::put>(slot, o)));
      launch(store_add, o.elements(), o, 77);  // changes only its own copy
      values mine = to.model[slot];
      for (int& x : mine) x += 77;
      if (keeps.size() < 4) keeps.push_back({to.driver, std::move(o), std::move(mine)});
    });
  }
  bool is_settled(std::size_t s) {
    return std::ranges::all_of(stores[s].sent, [](const future<void>& f) { return f.is_ready(); });
  }
  void look(std::size_t s, std::size_t slot) {
    one& of = stores[s];
    on(of.driver, [&] {
      readings.push_back({of.driver, s, of.sent.size(), send(of.is, call<&store::look>(slot)), of.model[slot]});
    });
  }
  /// Sends results on that have arrived.
  void move_on() {
    std::erase_if(moves, [&](moving& m) {
      if (!m.what.is_ready()) return false;
      one& to = stores[m.to];
      on(to.driver, [&] {
        if (m.what.result()) {
          keep(m.to, send(to.is, call<&store::put>(m.slot, m.what.get())));
          to.model[m.slot] = std::move(m.content);
        } else {
          stores[m.from].is_certain = false;
        }
        m.what = {};
      });
      return true;
    });
  }

  void do_something() {
    const std::size_t s = random() % stores.size(), slot = random() % slots;
    one& to = stores[s];
    move_on();
    switch (random() % 16) {
      case 0:
      case 1: put_new(s, slot); break;
      case 2:
      case 3:
      case 4: {
        const int by = static_cast<int>(random() % 100);
        for (int& x : to.model[slot]) x += by;
        on(to.driver, [&] { keep(s, send(to.is, call<&store::add>(slot, by))); });
        break;
      }
      case 5:
      case 6: {
        const int first = static_cast<int>(random() % 100);
        const values with = content(slot, first);
        for (std::size_t i = 0; i < with.size(); ++i) to.model[slot][i] = (3 * to.model[slot][i] + with[i]) % 65536;
        on(to.driver, [&] { keep(s, send(to.is, call<&store::combine>(slot, made(slot, first, to.driver)))); });
        break;
      }
      case 7:
      case 8: {
        const std::size_t other = random() % stores.size();
        if (stores[other].driver != to.driver) break;
        on(to.driver, [&] { moves.push_back({s, other, slot, send(to.is, call<&store::get>(slot)), to.model[slot]}); });
        break;
      }
      case 9: {
        const int first = static_cast<int>(random() % 100);
        on(to.driver, [&] {
          moves.push_back(
              {s, s, slot, send(to.is, call<&store::exchange>(slot, made(slot, first, to.driver))), to.model[slot]});
        });
        to.model[slot] = content(slot, first);
        break;
      }
      case 10: {  // directly to another object, to which no other node sends meanwhile
        const std::size_t other = random() % stores.size();
        if (has_losses || !events.empty() || !moves.empty()) break;
        step_until([&] { return is_settled(other) && is_settled(s); });
        bool is_through = false;
        on(to.driver, [&] {
          async([&, slot] {
            finish([&] { send(to.is, call<&store::give>(slot, stores[other].is)); });
            is_through = true;
          });
        });
        step_until([&] { return is_through; });
        stores[other].model[slot] = to.model[slot];
        break;
      }
      case 11:
      case 12:
      case 13: on(to.driver, [&] { keep(s, migrate(to.is, at_node(draw()))); }); break;
      case 14: look(s, slot); break;
      default:
        if (events.empty()) break;
        on(events.front().first, [&] { events.front().second.trigger(); });
        events.erase(events.begin());
    }
    if (random() % 3) step(random() % (random() % 8 ? 40 : 400));
  }
  void finish_all() {
    for (auto& [node, e] : events) on(node, [&] { e.trigger(); });
    events.clear();
    step_until([&] {
      move_on();
      return moves.empty();
    });
    for (std::size_t s = 0; s < stores.size(); ++s)
      for (std::size_t slot = 0; slot < slots; ++slot) look(s, slot);
    step_until([&] { return std::ranges::all_of(readings, [](const reading& r) { return r.seen.is_ready(); }); });
    for (std::size_t s = 0; s < stores.size(); ++s) step_until([&] { return is_settled(s); });
    step(50 * nodes);
  }
  void check() {
    for (reading& r : readings) {
      if (is_dead[r.node]) continue;
      on(r.node, [&] {
        const auto& before = stores[r.of].sent;
        const bool is_certain =
            stores[r.of].is_certain && std::all_of(before.begin(), before.begin() + std::ptrdiff_t(r.sent_before),
                                                   [](const future<void>& f) { return bool(f.result()); });
        if (r.seen.result()) {
          if (is_certain) CHECK(r.seen.get() == r.expected);
        } else {
          CHECK(has_losses);
          try {
            r.seen.get();
          } catch (const std::exception& e) {
            const std::string words = e.what();
            CHECK((words.find("N05") != words.npos || words.find("G03") != words.npos ||
                   words.find("G06") != words.npos));
          }
        }
      });
    }
    for (kept& k : keeps) {
      if (is_dead[k.node]) continue;
      future<object_accessor<const int, 1>> f;
      on(k.node, [&] { f = k.what.read(); });
      step_until([&] { return f.is_ready(); });
      on(k.node, [&] {
        const auto v = f.get().view();
        CHECK(values(&v(v.min(0)), &v(v.min(0)) + (v.max(0) - v.min(0))) == k.expected);
        f = {};
      });
    }
  }
};

TEST_CASE("arrays of migrating objects equal those of a serial model") {
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(10, 600); ++seed) {
    CAPTURE(seed);
    device_trial t(seed, seed % 10 ? 5 : 16);
    for (int i = 0; i < 80; ++i) t.do_something();
    t.finish_all();
    t.check();
    test::check_nothing_is_held(t);
  }
}

TEST_CASE("the same with arrays in a small memory that host and device share") {
  const test::with_variable quiet("STRETTO_LOG", "off");
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(8, 600); ++seed) {
    CAPTURE(seed);
    const test::with_variable memory("STRETTO_DEVICE_HOST_MEMORY", seed % 2 ? "2M" : "64M");
    device_trial t(seed, 5, test::homes::of_some);
    for (int i = 0; i < 80; ++i) {
      t.do_something();
      if (seed % 4 == 0 && t.nodes > 1 && t.random() % 40 == 0) t.lose_some();
    }
    t.finish_all();
    t.check();
    if (!t.has_losses) test::check_nothing_is_held(t);
  }
}

TEST_CASE("with failing nodes and cut links, arrays are right or reported as lost, and all ends") {
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(10, 600); ++seed) {
    CAPTURE(seed);
    device_trial t(seed * 11 + 5, 6);
    for (int i = 0; i < 80; ++i) {
      t.do_something();
      if (t.nodes > 1 && t.random() % 40 == 0) t.lose_some();
    }
    t.finish_all();
    t.check();
  }
}

TEST_CASE("threads of many nodes send arrays to objects that others move") {
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
            const int n = random() % 2 ? 300 : 5000;
            const auto to = make_mobile<store>(at_node(std::uint32_t(random() % nodes)));
            values model;
            const auto put = [&] {
              const int first = int(random() % 100);
              model.resize(std::size_t(n));
              std::iota(model.begin(), model.end(), first);
              object<int> o(box(0, n));
              launch(store_fill, o.elements(), o, first);
              send(to, call<&store::put>(std::size_t{0}, std::move(o)));
            };
            put();
            for (int i = 0; i < 40; ++i) switch (random() % 6) {
                case 0: migrate(to, at_node(std::uint32_t(random() % nodes))); break;
                case 1: put(); break;
                case 2: {
                  const auto back = send(to, call<&store::get>(std::size_t{0})).get();
                  send(to, call<&store::combine>(std::size_t{0}, back));
                  for (int& x : model) x = 4 * x % 65536;
                  break;
                }
                case 3: CHECK(send(to, call<&store::look>(std::size_t{0})).get() == model); break;
                default:
                  send(to, call<&store::add>(std::size_t{0}, i));
                  for (int& x : model) x += i;
              }
            CHECK(send(to, call<&store::look>(std::size_t{0})).get() == model);
            destroy(to).get();
          });
      });
    });
  }
}

}  // namespace
}  // namespace stretto
