// Launches as operations of recorded graphs: on the host, on all kinds of devices here, and as chains.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/recorded_data.hpp>
#include <stretto/recorded_launch.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "campaign.hpp"
#include "data/data_state.hpp"
#include "device/device_set.hpp"
#include "thrown_by.hpp"
#include "usable_devices.hpp"

namespace stretto {
namespace {

using test::thrown_by;

STRETTO_KERNEL(times_plus, (inout<unsigned> x, unsigned by, unsigned more),
               { x(global_id(0)) = x(global_id(0)) * by + more; })
STRETTO_KERNEL(add_from, (in<unsigned> from, inout<unsigned> to), { to(global_id(0)) += from(global_id(0)); })

constexpr int elements = 8;

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> some = test::usable_devices({"sim:2", "opencl:1"}, "recorded launches");
    some.push_back("none");
    return some;
  }();
  return all;
}

/// Memories of devices, or of the host if there are none.
std::vector<place> memories_of(const runtime& rt) {
  std::vector<place> all = rt.machine().places(place_kind::gpu_memory);
  if (all.empty()) all.push_back(rt.machine().memories()[0]);
  return all;
}

std::size_t pending_on_devices() {
  std::size_t pending = 0;
  for (const auto& d : data::state_of(base::require_current("test")).settings.devices->all())
    pending += d->is().pending();
  return pending;
}

/// A chain on a device that adds one `length` times.
std::vector<recorded_operation> add_ones(recorded_graph<>& g, const instance<unsigned>& x, int length) {
  std::vector<recorded_operation> all{launch(g, name("first"), times_plus, box(0, elements), x, 1u, 1u)};
  while (static_cast<int>(all.size()) < length)
    all.push_back(launch(g, after(all.back()), times_plus, box(0, elements), x, 1u, 1u));
  return all;
}

/// Operations on some arrays, each after those that it conflicts with, and their effect on numbers.
class random_graph {
 public:
  random_graph(std::mt19937& random, const std::vector<instance<unsigned>>& arrays, const std::vector<place>& memories)
      : random_(random), arrays_(arrays), memories_(memories), uses_(arrays.size()) {
    for (int i = 2 + static_cast<int>(random() % 20); i-- > 0;) add_one();
  }
  event replay(event behind) { return graph_.replay(after(behind)); }
  void interpret(std::vector<unsigned>& values) const {
    for (const auto& s : steps_)
      s.from == s.to ? values[s.to] = values[s.to] * s.by + s.more : values[s.to] += values[s.from];
  }

 private:
  struct step {
    std::size_t from, to;
    unsigned by, more;
  };
  struct use {
    std::vector<recorded_operation> since_written;  // the writer first
  };

  void add_one() {
    const std::size_t to = random_() % arrays_.size(), from = random_() % 3 ? to : random_() % arrays_.size();
    const bool apart = memories_[from] != memories_[to];
    const step s{apart ? to : from, to, 1 + static_cast<unsigned>(random_() % 5), static_cast<unsigned>(random_() % 7)};
    std::vector<recorded_operation> before = uses_[s.to].since_written;
    if (s.from != s.to && !uses_[s.from].since_written.empty()) before.push_back(uses_[s.from].since_written.front());
    const recorded_range behind = after(std::span<const recorded_operation>(before));
    const recorded_operation made =
        s.from == s.to
            ? launch(graph_, behind, times_plus, box(0, elements), arrays_[s.to], s.by, s.more)
            : launch(graph_, name("sum"), behind, add_from, box(0, elements), arrays_[s.from], arrays_[s.to]);
    steps_.push_back(s);
    uses_[s.to].since_written = {made};
    if (s.from == s.to) return;
    uses_[s.from].since_written.push_back(made);
  }

  std::mt19937& random_;
  const std::vector<instance<unsigned>>& arrays_;
  const std::vector<place>& memories_;  // of the arrays
  std::vector<use> uses_;
  std::vector<step> steps_;
  recorded_graph<> graph_;
};

}  // namespace

TEST_CASE("recorded launches of any graph compute what a serial run does, in each replay") {
  for (const std::string& kind : kinds()) {
    runtime rt({.workers = 2, .devices = kind});
    rt.run([&] {
      const std::vector<place> memories = memories_of(rt);
      const place ram = rt.machine().memories()[0];
      for (unsigned seed = 0; seed < test::scaled(20u, 2000u); ++seed) {
        CAPTURE(kind);
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::vector<instance<unsigned>> arrays;
        std::vector<place> lie_in;
        std::vector<unsigned> values;
        for (std::size_t i = 0; i < 1 + seed % 4; ++i) {
          lie_in.push_back(memories[random() % memories.size()]);
          arrays.push_back(instance<unsigned>::create(at(lie_in.back()), {0, elements}).made);
          values.push_back(static_cast<unsigned>(i + 1));
          wait(fill(arrays.back(), values.back()));
        }
        random_graph g(random, arrays, lie_in);
        event done;
        const int replays = 1 + static_cast<int>(random() % 5);
        for (int r = 0; r < replays; ++r) {
          done = g.replay(random() % 4 ? done : event());  // in order, with an explicit precondition or not
          g.interpret(values);
        }
        wait(done);
        const auto back = instance<unsigned>::create(at(ram), {0, elements}).made;
        for (std::size_t i = 0; i < arrays.size(); ++i) {
          wait(copy(arrays[i], back));
          for (int e = 0; e < elements; ++e) CHECK(back.view()(e) == values[i]);
          arrays[i].destroy();
        }
        back.destroy();
      }
    });
  }
}

TEST_CASE("launches in a row are one operation of their device, and replays of such a row wait for each other there") {
  for (const std::string& kind : kinds()) {
    if (kind == "none") continue;
    CAPTURE(kind);
    runtime rt({.workers = 1, .devices = kind});
    rt.run([&] {
      const auto x = instance<unsigned>::create(at(memories_of(rt)[0]), {0, elements}).made;
      wait(fill(x, 0u));
      recorded_graph<> g(name("row"));
      add_ones(g, x, 50);
      wait(g.replay());
      // This thread polls only while it waits: no operation ends meanwhile.
      event done;
      for (int r = 0; r < 10; ++r) done = g.replay(after(done));
      if (kind.starts_with("sim")) CHECK(pending_on_devices() <= 10);  // not 500
      wait(done);
      const auto back = instance<unsigned>::create(at(rt.machine().memories()[0]), {0, elements}).made;
      wait(copy(x, back));
      CHECK(back.view()(3) == 550);
      x.destroy(), back.destroy();
    });
  }
}

TEST_CASE("a replay behind one that is under way is handed to the device at once") {
  // time advances only while the program waits
  runtime rt({.workers = 1, .seed = 1, .devices = "sim", .stepped = true});
  rt.run([&] {
    const auto x = instance<unsigned>::create(at(memories_of(rt)[0]), {0, elements}).made;
    wait(fill(x, 0u));
    recorded_graph<> g, overlapping(replays::overlapping);
    add_ones(g, x, 3);
    const event first = g.replay();
    CHECK(pending_on_devices() == 1);
    const event second = g.replay(after(first));
    CHECK(pending_on_devices() == 2);
    const event third = g.replay();  // without a precondition: it begins when the replay before has ended
    CHECK(pending_on_devices() == 2);
    wait(third);
    CHECK(second.has_triggered());
    CHECK(g.statistics().states == 3);
    x.destroy();
  });
}

TEST_CASE("an operation between two launches of a chain, or after one of them, does not wait for the others") {
  runtime rt({.workers = 1, .seed = 1, .devices = "sim", .stepped = true});
  rt.run([&] {
    const auto x = instance<unsigned>::create(at(memories_of(rt)[0]), {0, elements}).made;
    wait(fill(x, 0u));
    recorded_graph<> g;
    const auto row = add_ones(g, x, 4);
    const auto half = g.add_postcondition(after(row[1]), name("half"));
    const auto gate = user_event::create();
    const auto input = g.add_precondition();
    g.make_edge(input, row[2]);
    const auto reached = user_event::create();
    const event done = g.replay({}, {bind(half, reached), bind(input, gate)});
    wait(reached);
    CHECK_FALSE(done.has_triggered());
    gate.trigger();
    wait(done);
    x.destroy();
  });
}

TEST_CASE("a launch that fails fails its replay and what is behind it, and is named") {
  runtime rt({.workers = 1, .devices = "sim(fail_launch=2)"});
  rt.run([&] {
    const auto x = instance<unsigned>::create(at(memories_of(rt)[0]), {0, elements}).made;
    wait(fill(x, 0u));
    recorded_graph<> g(name("relax"));
    add_ones(g, x, 3);
    const event first = g.replay(), second = g.replay(after(first));
    const std::string error_text = thrown_by([&] { wait(second); });
    INFO(error_text);
    CHECK(error_text.find("error K30") != std::string::npos);
    CHECK(error_text.find("launch \"first\" and 2 after it") != std::string::npos);
    CHECK(thrown_by([&] { wait(first); }).find("the end of graph \"relax\"") != std::string::npos);
    wait(g.replay());  // the next replay starts afresh
    wait(fill(x, 0u));
    wait(g.replay());
    const auto back = instance<unsigned>::create(at(rt.machine().memories()[0]), {0, elements}).made;
    wait(copy(x, back));
    CHECK(back.view()(0) == 3);
    x.destroy(), back.destroy();
  });
}

TEST_CASE("a launch that its device refuses fails the replay when those before it have ended") {
  runtime rt({.workers = 1, .devices = "sim:1"});
  rt.run([&] {
    const place memory = memories_of(rt)[0];
    const auto x = instance<unsigned>::create(at(memory), {0, elements}).made,
               y = instance<unsigned>::create(at(memory), {0, elements}).made;
    const event filled[] = {fill(x, 0u), fill(y, 1u)};
    wait(merge(filled));
    recorded_graph<> g(name("relax"));
    const auto first = launch(g, times_plus, box(0, elements), x, 1u, 1u);
    launch(g, after(first), name("late"), add_from, box(0, elements), y, x);
    wait(g.replay());
    wait(y.destroy());
    const std::string error_text = thrown_by([&] { wait(g.replay()); });
    INFO(error_text);
    CHECK(error_text.find("error D01") != std::string::npos);
    CHECK(error_text.find("launch") != std::string::npos);
    x.destroy();
  });
}

TEST_CASE("a recorded launch waits until its instances exist") {
  for (const std::string& kind : kinds()) {
    CAPTURE(kind);
    runtime rt({.workers = 2, .devices = kind});
    rt.run([&] {
      const auto gate = user_event::create();
      const auto late = instance<unsigned>::create(at(memories_of(rt)[0]), {0, elements}, after(gate));
      recorded_graph<> g;
      const auto cleared = fill(g, late.made, 3u);
      const auto once = launch(g, after(cleared), times_plus, box(0, elements), late.made, 2u, 1u);
      launch(g, after(once), times_plus, box(0, elements), late.made, 2u, 1u);
      const event done = g.replay();
      CHECK_FALSE(done.has_triggered());
      gate.trigger();
      wait(done);
      const auto back = instance<unsigned>::create(at(rt.machine().memories()[0]), {0, elements}).made;
      wait(copy(late.made, back));
      CHECK(back.view()(0) == 15);
      late.made.destroy(), back.destroy();
    });
  }
}

TEST_CASE("a device that compiles late does so at the first of recorded launches, too") {
  runtime rt({.workers = 1, .devices = "sim(compile_us=100k)"});
  rt.run([&] {
    const auto x = instance<unsigned>::create(at(memories_of(rt)[0]), {0, elements}).made;
    wait(fill(x, 0u));
    recorded_graph<> g;
    add_ones(g, x, 3);
    const auto begin = std::chrono::steady_clock::now();
    wait(g.replay());
    CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(100));
    x.destroy();
  });
}

TEST_CASE("errors of a recorded launch that are known at once are thrown by the recording") {
  runtime rt({.workers = 1, .devices = "sim:2"});
  rt.run([&] {
    const auto memories = memories_of(rt);
    const auto x = instance<unsigned>::create(at(memories[0]), {0, elements}).made,
               y = instance<unsigned>::create(at(memories[1]), {0, elements}).made;
    const event filled[] = {fill(x, 0u), fill(y, 0u)};
    wait(merge(filled));
    recorded_graph<> g, other;
    CHECK(thrown_by([&] { launch(g, add_from, box(0, elements), x, y); }).find("K28") != std::string::npos);
    CHECK(thrown_by([&] { launch(g, times_plus, in_groups(box(0, 1), {elements}), x, 1u, 1u); }).find("K24") !=
          std::string::npos);
    const auto elsewhere = launch(other, times_plus, box(0, elements), x, 1u, 1u);
    CHECK(thrown_by([&] { launch(g, after(elsewhere), times_plus, box(0, elements), x, 1u, 1u); }).find("S22") !=
          std::string::npos);
    CHECK(g.statistics().operations == 0);
    x.destroy(), y.destroy();
  });
}

}  // namespace stretto
