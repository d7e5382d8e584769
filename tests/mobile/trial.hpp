// trial.hpp - a random program of one seed over migrating objects, stepped by one thread, on a simulated network that
// may lose nodes.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stretto/finish.hpp>

#include "dist/stepped_nodes.hpp"
#include "mobile/program_model.hpp"

namespace stretto::test {

struct trial : stepped_nodes {
  model sent;
  struct waiting {
    std::uint32_t node;
    future<void> what;
    std::uint32_t object = ~0u, number = 0;  // of a line
  };
  std::vector<waiting> futures;
  std::vector<std::pair<std::uint32_t, user_event>> events;
  bool may_destroy = false;
  std::vector<bool> is_destroyed;  // or being destroyed

  enum class made { one_by_one, as_a_collection, as_a_large_collection };
  explicit trial(std::uint64_t seed, std::uint32_t most_nodes, made how = made::one_by_one)
      : stepped_nodes(seed, most_nodes), sent(nodes) {
    of_all = &sent;
    const auto count =
        static_cast<std::uint32_t>(how == made::as_a_large_collection ? 20 + random() % 40 : 1 + random() % 8);
    is_destroyed.resize(count);
    if (how != made::one_by_one) {
      const std::string weight(random() % 4 ? 0 : 5000, 'w');
      on(draw(), [&] {
        sent.as_one = random() % 2
                          ? make_collection<book>(count, weight)
                          : make_collection<book>(placed([&](auto, auto, auto) { return draw(); }), count, weight);
      });
      for (std::uint32_t o = 0; o < count; ++o) sent.objects.push_back(sent.as_one[o]);
      return;
    }
    for (std::uint32_t o = 0; o < count; ++o) {
      const std::string weight(random() % 4 ? 0 : 5000, 'w');
      const auto at = static_cast<std::uint32_t>(random() % nodes);
      on(draw(), [&] {
        sent.objects.push_back(random() % 2 ? make_mobile<book>(o, weight) : make_mobile<book>(at_node(at), o, weight));
      });
    }
  }
  ~trial() {
    for (auto& w : futures) on(w.node, [&] { w.what = {}; });
    end_job();
    of_all = nullptr;
  }

  std::uint32_t object() { return static_cast<std::uint32_t>(random() % sent.objects.size()); }
  template <class F>
  void step_until(F&& is_so) {
    stepped_nodes::step_until(is_so, [&] { return waiting_futures(); });
  }
  std::string waiting_futures() const {
    std::string text;
    for (const waiting& w : futures)
      if (!w.what.is_ready())
        text += "; N" + std::to_string(w.node) + " waits" +
                (w.object == ~0u ? std::string()
                                 : " for line " + std::to_string(w.number) + " of object " + std::to_string(w.object));
    return text;
  }
  void keep(std::uint32_t node, future<void> f) { futures.push_back({node, std::move(f)}); }

  void keep_line(std::uint32_t node, std::uint32_t o, std::uint32_t yields = 0) {
    futures.push_back({node, send_line(o, yields), o, sent.sent_by(node, o) - 1});
  }

  void do_something() {
    const std::uint32_t node = draw(), o = object();
    on(node, [&] {
      if (sent.as_one.size() && random() % 8 == 0) {
        if (random() % 4) return keep(node, send_to_all());
        return keep(node, async(after(indices_of_all()), [] {}));
      }
      switch (random() % 18) {
        case 0:
        case 1:
        case 2:
        case 3: return keep_line(node, o);
        case 4:
        case 5: return keep_line(node, o, 1 + std::uint32_t(random() % 3));
        case 6:
          for (int i = 0; i < 8; ++i) keep_line(node, o);
          return;
        case 7: return keep(node, send_chain(o, std::uint32_t(random() % 12)));
        case 8:
        case 9: send(sent.objects[o], call<&look>(std::uint32_t(random() % 3))); return;
        case 10:
        case 11:
        case 12: return keep(node, migrate(sent.objects[o], at_node(draw())));
        case 13:
          keep(node, migrate(sent.objects[o], at_node(draw())));
          return keep(node, migrate(sent.objects[o], at_node(draw())));
        case 14: {
          const auto e = user_event::create();
          events.emplace_back(node, e);
          return keep(node, send_after(e, o));
        }
        case 15: {
          const auto length = std::uint32_t(random() % 12);
          return keep(node, async([o, length] { finish([&] { send_chain(o, length); }); }));
        }
        case 16:
          if (!may_destroy || random() % 8) return;
          is_destroyed[o] = true;
          return keep(node, destroy(sent.objects[o]));
        default:
          if (events.empty() || events.back().first != node) return;
          events.back().second.trigger();
          events.pop_back();
      }
    });
    if (random() % 3) step(random() % (random() % 8 ? 20 : 200));
  }
  void finish_all() {
    for (auto& [node, e] : events) on(node, [&] { e.trigger(); });
    events.clear();
    step_until([&] { return std::ranges::all_of(futures, [&](const waiting& w) { return w.what.is_ready(); }); });
    step(20 * nodes);
  }
  /// As that node reads it; nothing if it cannot.
  std::optional<std::vector<line>> read(std::uint32_t node, std::uint32_t o) {
    std::optional<std::vector<line>> lines;
    future<std::vector<line>> f;
    on(node, [&] { f = send(sent.objects[o], call<&read_all>()); });
    step_until([&] { return f.is_ready(); });
    on(node, [&] {
      try {
        lines = f.get();
      } catch (const std::exception& e) {
        const std::string words = e.what();
        if (words.find("G02") != words.npos) CHECK(is_destroyed[o]);
        else CHECK((has_losses && (words.find("G03") != words.npos || words.find("N05") != words.npos)));
      }
      f = {};
    });
    return lines;
  }
};

}  // namespace stretto::test
