// Pop and steal paths: every task at a place runs on a worker whose paths visit it, or is refused at the call.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

#include "campaign.hpp"

using namespace stretto;

namespace {

using path_list = std::vector<std::vector<std::uint32_t>>;  // by worker, as indices of places

/// Place 0 is linked to all others.
std::shared_ptr<const platform> machine_with(std::uint32_t places, const path_list& pop, const path_list& steal) {
  platform_description is;
  for (std::uint32_t p = 0; p < places; ++p) {
    place_description one;
    one.name = p ? "L2_" + std::to_string(p) : "sysmem";
    one.kind = p ? place_kind::l2 : place_kind::system_memory;
    is.places.push_back(one);
    if (p) is.links.push_back({{0}, {p}, {}, {}});
  }
  const auto as_places = [](const path_list& paths) {
    std::vector<std::vector<place>> all;
    for (const auto& path : paths) {
      all.emplace_back();
      for (const auto p : path) all.back().push_back({p});
    }
    return all;
  };
  is.pop_paths = as_places(pop);
  is.steal_paths = as_places(steal);
  return std::make_shared<const platform>(platform::build(std::move(is)));
}

std::shared_ptr<const platform> random_machine(std::mt19937& random) {
  const auto any = [&](std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random() % (most - least + 1));
  };
  const std::uint32_t places = any(1, 6), workers = any(1, 4);
  const auto path = [&](std::uint32_t least) {
    std::vector<std::uint32_t> all;
    for (auto n = any(least, std::min(places, 3u)); n > 0; --n) all.push_back(any(0, places - 1));
    return all;
  };
  path_list pop, steal;
  for (std::uint32_t w = 0; w < workers; ++w) pop.push_back(path(1)), steal.push_back(path(0));
  return machine_with(places, pop, steal);
}

bool visits(const platform& m, std::uint32_t worker, place p) {
  for (const auto path : {m.pop_path(worker), m.steal_path(worker)})
    for (const place q : path)
      if (p == q) return true;
  return false;
}

std::string code_of(auto&& call) {
  try {
    call();
  } catch (const error& e) {
    return e.code();
  }
  return "";
}

/// The actions of one task, and what is recorded about it.
struct ledger {
  const platform& machine;
  std::atomic<int> ran{0}, astray{0};

  void note(place p) {
    ++ran;
    if (p && !visits(machine, this_worker(), p)) ++astray;
  }
};

/// Spawns a task at each place in several ways; some of these spawn, wait and yield. Returns how many.
int spawn_at_all_places(ledger& book, unsigned depth, const user_event& gate) {
  int count = 0;
  for (const place p : book.machine.places()) {
    if (!book.machine.is_served(p)) {
      CHECK(code_of([&] { async(at(p), [] {}); }) == "S02");
      continue;
    }
    async(at(p), [&book, p, depth, gate] {
      book.note(p);
      if (depth == 0) return;
      const auto child = async([&book] { book.note({}); });
      if (depth % 2) yield();
      wait(gate);
      child.get();
      book.note(p);  // still on a worker that visits it
      spawn_at_all_places(book, depth - 1, gate);
    });
    async(at(p), after(gate), [&book, p] { book.note(p); });
    async(at(p), priority(static_cast<int>(depth) - 1), [&book, p] { book.note(p); });
    count += 3;
  }
  return count;
}

void run_everything(const std::shared_ptr<const platform>& machine, bool stepped, std::uint64_t seed) {
  ledger book{*machine};
  auto rt = std::make_unique<runtime>(runtime_options{.seed = seed, .machine = machine, .stepped = stepped});
  int served = 0;
  for (const place p : machine->places()) served += machine->is_served(p);
  rt->run([&] {
    const auto gate = user_event::create();
    finish([&] {
      spawn_at_all_places(book, 1, gate);
      if (!stepped)
        std::thread([&] {
          attached_thread here(*rt);
          for (const place p : machine->places())
            if (machine->is_served(p)) async(at(p), [&book, p] { book.note(p); });
          async([&book] { book.note({}); });
        }).join();
      gate.trigger();
    });
  });
  rt.reset();  // the thread's tasks are in no finish, and end before the runtime
  CHECK(book.ran == served * (3 + 2 + served * 3) + (stepped ? 0 : served + 1));
  CHECK(book.astray == 0);
}

}  // namespace

TEST_CASE("with any pop and steal paths a task runs where its place is visited, or is refused: stepped") {
  const int seeds = test::scaled_of_one_thread(150, 5'000);
  for (int seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(static_cast<unsigned>(seed));
    run_everything(random_machine(random), true, static_cast<std::uint64_t>(seed));
  }
}

TEST_CASE("with any pop and steal paths a task runs where its place is visited, or is refused: with threads") {
  const int seeds = test::scaled(60, 2'000);
  for (int seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(static_cast<unsigned>(seed));
    run_everything(random_machine(random), false, static_cast<std::uint64_t>(seed));
  }
}

TEST_CASE("tasks at a place that only another worker's pop path visits run on that worker, one task or many") {
  // Only the pop path of worker 1 visits place 3.
  const auto machine = machine_with(4, {{1, 0}, {2, 3, 0}}, {{0}, {0}});
  runtime rt({.machine = machine});
  rt.run([&] {
    for (const int count : {1, 300}) {
      std::atomic<unsigned> by{0}, ran{0};
      finish([&] {
        for (int i = 0; i < count; ++i)
          async(at(place{3}), [&] {
            by |= 1u << this_worker();
            ++ran;
          });
      });
      CHECK(by == 2u);
      CHECK(ran == static_cast<unsigned>(count));
    }
  });
}

TEST_CASE("the one worker that may steal a task is woken for it, though others sleep, too") {
  // Only the steal path of worker 3 visits place 5; the spawner blocks its own worker until the task has run.
  const auto machine = machine_with(6, {{1, 0}, {2, 0}, {3, 0}, {4, 0}}, {{0}, {0}, {0}, {5, 0}});
  runtime rt({.machine = machine});
  rt.run([&] {
    for (int i = 0; i < 20; ++i) {
      std::atomic<int> by{-1};
      async(at(place{5}), [&] { by = static_cast<int>(this_worker()); });
      while (by < 0) std::this_thread::yield();
      CHECK(by == 3);
    }
  });
}

TEST_CASE("sleeping workers are not woken for tasks that they may not take") {
  // Only worker 1 visits place 3. It is busy until the others have slept while a task waits there.
  const auto machine = machine_with(4, {{1}, {2, 3}, {1}}, {{1}, {}, {1}});
  runtime rt({.machine = machine});
  rt.run([&] {
    std::atomic<bool> busy{false}, go_on{false};
    finish([&] {
      async(on(worker(1)), [&] {
        busy = true;
        while (!go_on) std::this_thread::yield();
      });
      while (!busy) std::this_thread::yield();
      async(at(place{3}), [] {});
      const auto parks = [&] { return rt.statistics().workers[2].parks; };
      while (parks() == 0) std::this_thread::yield();
      const auto before = parks();
      for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      CHECK(parks() <= before + 1);
      go_on = true;
    });
  });
}
