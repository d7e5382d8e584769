// The consistent point: the events that it waits for, and those that it does not; arrays owned by objects and
// messages; node failures.
#include <doctest/doctest.h>

#include <stretto/finish.hpp>
#include <stretto/stretto.hpp>

#include <atomic>

#include "checkpoint/content_io.hpp"
#include "checkpoint/token_program.hpp"
#include "dist/simulated.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using namespace test;

struct runner {
  std::uint64_t steps = 0;
  mobile<runner> me, other;
  void know(mobile<runner> m, mobile<runner> o) { me = m, other = o; }
  template <class Archive>
  friend void fields(Archive& a, archived<runner, Archive>& r) {
    a(r.steps, r.me, r.other);
  }
};
std::atomic<bool> must_stop{false};

/// Runs almost for ever: one message to itself always waits.
void run_on(runner& r) {
  ++r.steps;
  if (!must_stop) detached([&] { send(r.me, call<&run_on>()); });
}
std::uint64_t steps_of(const runner& r) { return r.steps; }

TEST_CASE("objects that send to themselves for ever are held, saved with the message that waits, and go on") {
  const temporary_folder folder;
  const std::string directory = (folder.path / "run.ckpt").string();
  const std::uint64_t saved = [&] {
    std::atomic<std::uint64_t> before{0};
    must_stop = false;
    on_all_nodes({.nodes = 2}, 2, [&](runtime&) {
      if (this_node()) return;
      const auto m = make_mobile<runner>(at_node(1));
      send(m, call<&runner::know>(m, m)).get();
      detached([&] { send(m, call<&run_on>()); });
      while (send(m, call<&steps_of>()).get() < 10) yield();
      save_checkpoint(directory, {keep("m", m)}).get();
      before = send(m, call<&steps_of>()).get();
      while (send(m, call<&steps_of>()).get() < before + 10) yield();  // it goes on
      must_stop = true;
      wait(quiescence());
    });
    return before.load();
  }();
  const auto c = checkpoints::read_contents(directory);
  CHECK(c.objects == 1);
  CHECK(c.messages == 1);
  must_stop = true;
  on_all_nodes({.nodes = 3}, 1, [&](runtime&) {
    if (this_node()) return;
    const checkpoint there = open_checkpoint(directory);
    there.restore_objects();
    wait(quiescence());
    const auto steps = send(there.value<mobile<runner>>("m"), call<&steps_of>()).get();
    CHECK(steps >= 11);
    CHECK(steps <= saved + 1);
  });
}

/// Waits by a finish for a chain of messages, without subscribing to any of them.
void ask_in_a_finish(runner& r, int depth) {
  ++r.steps;
  if (depth) finish([&] { send(r.other, call<&ask_in_a_finish>(depth - 1)); });
}

TEST_CASE("handlers that wait for others end before the point, also those that wait by a finish") {
  const temporary_folder folder;
  const std::string directory = (folder.path / "run.ckpt").string();
  on_all_nodes({.nodes = 2}, 2, [&](runtime&) {
    if (this_node()) return;
    for (int round = 0; round < 5; ++round) {
      std::vector<mobile<runner>> chain;
      for (std::uint32_t i = 0; i < 6; ++i) chain.push_back(make_mobile<runner>(at_node(i % 2)));
      for (std::size_t i = 0; i + 1 < chain.size(); ++i)
        send(chain[i], call<&runner::know>(chain[i], chain[i + 1])).get();
      const auto over = send(chain[0], call<&ask_in_a_finish>(5));
      for (int i = 0; i < round; ++i) yield();
      save_checkpoint(directory, {keep("chain", chain)}).get();
      over.get();
      std::uint64_t all = 0;
      for (const auto& m : chain) all += send(m, call<&steps_of>()).get();
      CHECK(all == 6);
    }
  });
}

TEST_CASE("messages that wait for a task's event cannot be saved, and the checkpoint reports them") {
  const temporary_folder folder;
  const std::string directory = (folder.path / "run.ckpt").string();
  runtime rt({.workers = 2});
  rt.run([&] {
    const auto m = make_mobile<runner>();
    const auto e = user_event::create();
    const auto late = send(after(e), m, call<&run_on>());
    const error refused = error_of([&] { save_checkpoint(directory, {}); });
    CHECK(refused.code() == "C10");
    must_stop = true;
    e.trigger();
    late.get();
    save_checkpoint(directory, {}).get();
    CHECK(open_checkpoint(directory).names().empty());
  });
}

std::string save_in_a_handler(const runner&, const std::string& directory) {
  return thrown_by([&] { save_checkpoint(directory, {}); });
}

TEST_CASE("a handler that takes a checkpoint would wait for itself and is refused, on this node and on another") {
  const temporary_folder folder;
  const std::string directory = (folder.path / "run.ckpt").string();
  on_all_nodes({.nodes = 2}, 1, [&](runtime&) {
    if (this_node()) return;
    for (const std::uint32_t n : {0u, 1u})
      CHECK(send(make_mobile<runner>(at_node(n)), call<&save_in_a_handler>(directory)).get().find("error C11") == 0);
  });
}

struct plate {
  object<float, 2> heat;
  std::uint64_t passed = 0;
  mobile<plate> next;
  void know(mobile<plate> n) { next = n; }
  template <class Archive>
  friend void fields(Archive& a, archived<plate, Archive>& p) {
    a(p.heat, p.passed, p.next);
  }
};
STRETTO_KERNEL(warmer, (inout<float, 2> u, float by), { u(global_id(0), global_id(1)) += by; })
constexpr coordinate side = 40;  // 6400 bytes: more than goes in a message
const box plate_box({0, 0}, {side, side});

object<float, 2> filled(float with) {
  const std::vector<float> all(side * side, with);
  return object<float, 2>(plate_box, all.data());
}
/// Keeps the received array and passes on the previous one, `left` times.
void swap_heat(plate& p, object<float, 2> come, int left) {
  launch(warmer, plate_box, come, 1.0f);
  std::swap(p.heat, come);
  ++p.passed;
  if (left) detached([&] { send(p.next, call<&swap_heat>(std::move(come), left - 1)); });
}
std::vector<float> heat_of(const plate& p) {
  std::vector<float> all(side * side);
  wait(p.heat.copy_to(all.data()));
  return all;
}

TEST_CASE("objects in mobile objects and in messages that wait are saved with their content") {
  constexpr int swaps = 60;
  // Three plates in a ring: the final state does not depend on timing, as a single message circulates.
  const auto check = [](const std::vector<mobile<plate>>& all) {
    std::vector<float> model{10, 20, 30};
    float travels = 0;
    for (int i = 0; i <= swaps; ++i) travels += 1, std::swap(model[static_cast<std::size_t>(i % 3)], travels);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(send(all[i], call<&heat_of>()).get() == std::vector<float>(side * side, model[i]));
  };
  for (const std::uint32_t nodes : {1u, 2u, 3u}) {
    CAPTURE(nodes);
    const temporary_folder folder;
    std::uint64_t messages = 0;
    on_all_nodes({.nodes = nodes, .latency_seconds = 1e-5}, 1, [&](runtime&) {
      if (this_node()) return;
      std::vector<mobile<plate>> all;
      for (std::uint32_t i = 0; i < 3; ++i) all.push_back(make_mobile<plate>(at_node(i % nodes)));
      for (std::size_t i = 0; i < 3; ++i)
        send(all[i], call([](plate& p, mobile<plate> next, float with) { p.next = next, p.heat = filled(with); },
                          all[(i + 1) % 3], float(10 * (i + 1))))
            .get();
      detached([&] { send(all[0], call<&swap_heat>(filled(0), swaps)); });
      for (int n = 0; n < 4; ++n) {
        const std::string directory = (folder.path / std::to_string(n)).string();
        save_checkpoint(directory, {keep("all", all)}).get();
        messages += checkpoints::read_contents(directory).messages;
      }
      wait(quiescence());
      check(all);
    });
    CHECK(messages > 0);
    for (int n = 0; n < 4; ++n)
      on_all_nodes({.nodes = 4 - nodes}, 1, [&](runtime&) {
        if (this_node()) return;
        const checkpoint c = open_checkpoint((folder.path / std::to_string(n)).string());
        c.restore_objects();
        wait(quiescence());
        check(c.value<std::vector<mobile<plate>>>("all"));
      });
  }
}

}  // namespace
}  // namespace stretto
