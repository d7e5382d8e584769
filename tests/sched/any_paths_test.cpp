// any_paths_test.cpp - pop and steal paths of any shape: every task runs on a worker whose paths visit its place, or is
// refused at the call.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <stretto/platform.hpp>
#include <stretto/stretto.hpp>

#include "campaign.hpp"

using namespace stretto;

namespace {

using machine = std::shared_ptr<const platform>;

std::vector<place> random_path(std::mt19937& random, std::uint32_t places, std::uint32_t least) {
  std::vector<place> path;
  for (std::uint32_t p = 0; p < places; ++p) path.push_back({p});
  std::shuffle(path.begin(), path.end(), random);
  path.resize(least + random() % (places + 1 - least));
  return path;
}

machine machine_with_any_paths(std::mt19937& random) {
  constexpr place_kind kinds[] = {place_kind::core, place_kind::l2, place_kind::l3, place_kind::interconnect};
  platform_description is;
  const std::uint32_t places = 1 + random() % 5, workers = 1 + random() % 4;
  for (std::uint32_t p = 0; p < places; ++p) {
    place_description about;
    about.name = "place " + std::to_string(p);
    about.kind = p == 0 ? place_kind::system_memory : kinds[random() % std::size(kinds)];
    is.places.push_back(about);
    if (p > 0) is.links.push_back({{0}, {p}, {}, {}});
  }
  for (std::uint32_t w = 0; w < workers; ++w) {
    is.pop_paths.push_back(random_path(random, places, 1));
    is.steal_paths.push_back(random_path(random, places, 0));
  }
  return std::make_shared<const platform>(platform::build(is));
}

bool serves(const platform& m, std::uint32_t worker, place p) {
  const auto visits = [&](std::span<const place> path) { return std::find(path.begin(), path.end(), p) != path.end(); };
  return visits(m.pop_path(worker)) || visits(m.steal_path(worker));
}

struct tally {
  std::atomic<int> asked{0}, ran{0}, astray{0}, refused{0}, refused_wrongly{0};
};

/// Tasks of all kinds at every place: plain ones, urgent ones, and ones that suspend until `go`.
void spawn_everywhere(const machine& m, const user_event& go, tally& seen) {
  for (const place p : m->places())
    for (int kind = 0; kind < 4; ++kind) {
      const auto note = [m, p, &seen] {
        if (!serves(*m, this_worker(), p)) ++seen.astray;
      };
      const auto body = [note, go, kind, &seen] {
        note();
        if (kind == 2) wait(go);
        if (kind == 3) yield();
        note();
        ++seen.ran;
      };
      try {
        if (kind == 1) async(at(p), priority(5), body);
        else async(at(p), body);
        ++seen.asked;
        if (!m->is_served(p)) ++seen.refused_wrongly;
      } catch (const error& e) {
        ++seen.refused;
        if (m->is_served(p) || e.code() != "S02") ++seen.refused_wrongly;
      }
    }
}

void check_everywhere(const machine& m, bool stepped) {
  tally seen;
  {
    runtime rt({.machine = m, .stepped = stepped});
    rt.run([&] {
      const user_event go = user_event::create();
      finish([&] {
        for (std::uint32_t w = 0; w < m->worker_count(); ++w)
          async(on(worker(w)), [&] { spawn_everywhere(m, go, seen); }).get();
        for (std::uint32_t w = 0; w < m->worker_count(); ++w)
          async(on(worker(w)), [&, w] {
            if (w + 1 == m->worker_count()) go.trigger();
          });
      });
    });
  }
  CHECK(seen.ran == seen.asked);
  CHECK(seen.astray == 0);
  CHECK(seen.refused_wrongly == 0);
  CHECK(seen.asked + seen.refused == static_cast<int>(4 * m->place_count() * m->worker_count()));
}

machine platform_of(const char* json) { return std::make_shared<const platform>(platform::parse(json)); }

}  // namespace

TEST_CASE("with any paths a task runs on a worker that serves its place, or is refused when it is spawned") {
  std::mt19937 random(20261127);
  for (int round = 0; round < test::scaled(60, 2000); ++round) {
    const machine m = machine_with_any_paths(random);
    CAPTURE(m->to_json());
    check_everywhere(m, true);
    check_everywhere(m, false);
  }
}

TEST_CASE("with any paths a task spawned by a thread that is not a worker runs where it may") {
  std::mt19937 random(20261128);
  for (int round = 0; round < test::scaled(40, 1000); ++round) {
    const machine m = machine_with_any_paths(random);
    CAPTURE(m->to_json());
    tally seen;
    {
      runtime rt({.machine = m});
      rt.run([&] {
        const user_event go = user_event::create(), spawned = user_event::create();
        std::thread other([&] {
          const attached_thread here(rt);
          spawn_everywhere(m, go, seen);
          spawned.trigger();
        });
        wait(spawned);
        go.trigger();
        other.join();
      });
    }
    CHECK(seen.ran == seen.asked);
    CHECK(seen.astray == 0);
    CHECK(seen.refused_wrongly == 0);
  }
}

TEST_CASE("a task at a place that only another worker's pop path visits runs there") {
  const machine m = platform_of(R"json({"nworkers": 2, "declarations": ["sysmem", "L2_0", "L2_1", "Interconnect_0"],
    "reachability": [["sysmem", "L2_0"], ["sysmem", "L2_1"], ["sysmem", "Interconnect_0"]],
    "pop_paths": {"default": ["L2_$(id)", "sysmem"], "1": ["L2_1", "Interconnect_0", "sysmem"]},
    "steal_paths": {"default": ["sysmem"]}})json");
  runtime rt({.machine = m});
  std::atomic<int> there{0};
  rt.run([&] {
    for (int round = 0; round < 20; ++round)
      finish([&] {
        for (int i = 0; i < 300; ++i) async(at(m->at("Interconnect_0")), [&] { there += this_worker() == 1; });
      });
  });
  CHECK(there == 20 * 300);
}

TEST_CASE("a task that only one worker may steal runs there, even if others sleep or search") {
  const machine m =
      platform_of(R"json({"nworkers": 4, "declarations": ["sysmem", "L2_0", "L2_1", "L2_2", "L2_3", "Interconnect"],
    "reachability": [["sysmem", "L2_0"], ["sysmem", "L2_1"], ["sysmem", "L2_2"], ["sysmem", "L2_3"], ["sysmem", "Interconnect"]],
    "pop_paths": {"default": ["L2_$(id)", "sysmem"]},
    "steal_paths": {"default": ["sysmem"], "3": ["Interconnect", "sysmem"]}})json");
  runtime rt({.machine = m});
  int there = 0;
  rt.run([&] {
    for (int i = 0; i < 300; ++i) there += async(at(m->at("Interconnect")), [] { return this_worker(); }).get() == 3;
  });
  CHECK(there == 300);
}

TEST_CASE("workers that find nothing at the places of their paths sleep while others have work") {
  const machine m = platform_of(R"json({"nworkers": 2, "declarations": ["sysmem", "L2_0", "L2_1"],
    "reachability": [["sysmem", "L2_0"], ["sysmem", "L2_1"]], "pop_paths": {"default": ["L2_$(id)"]}, "steal_paths": {"default": ["sysmem"]}})json");
  runtime rt({.machine = m});
  std::atomic<int> elsewhere{0}, ran{0};
  rt.run([&] {
    finish([&] {
      for (int i = 0; i < 100; ++i)
        async([&] {
          elsewhere += this_worker() != 0;
          ++ran;
        });
    });
  });
  CHECK(ran == 100);
  CHECK(elsewhere == 0);
}
