#include <stretto/copy.hpp>
#include <stretto/profile.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <mutex>

#include "data/data_runtime.hpp"
#include "data/host_channel.hpp"

using namespace stretto;
using namespace stretto::data;

namespace {

/// A channel that copies at once, or in a task, or fails at its third copy.
class slow_channel final : public places::channel {
 public:
  enum class manner { at_once, as_task, fails_at_third };
  explicit slow_channel(manner m) : manner_(m) {}

  void start(const places::copy_end& source, const places::copy_end& target, places::copy_shape shape,
             places::completion& done) override {
    {
      std::scoped_lock lock(mutex_);
      ++starts;
      most_bytes = std::max(most_bytes, shape.bytes());
      if (manner_ == manner::fails_at_third && starts == 3) {
        done.failure = std::make_exception_ptr(std::runtime_error("the link is down"));
        shape.rows = 0;
      }
    }
    if (manner_ == manner::at_once) return copier_.start(source, target, shape, done);
    async([this, source, target, shape, &done] { copier_.start(source, target, shape, done); });
  }
  double bandwidth_bytes_per_second(place, place) const override { return 1e9; }
  double latency_seconds(place, place) const override { return 1e-6; }

  int starts = 0;
  std::size_t most_bytes = 0;

 private:
  manner manner_;
  host_channel copier_;
  std::mutex mutex_;
};

struct chain {
  std::shared_ptr<slow_channel> way;
  test_options options;
};

/// ram <-> other <-> far, without other channels; for the floor, other is device memory and far a disk.
chain three_memories(slow_channel::manner m) {
  chain c;
  auto registry = std::make_shared<places::channel_registry>();
  c.way = std::make_shared<slow_channel>(m);
  const auto both = [&](place_kind a, place_kind b) {
    registry->add(a, b, c.way);
    registry->add(b, a, c.way);
  };
  both(place_kind::system_memory, place_kind::gpu_memory);
  both(place_kind::gpu_memory, place_kind::storage);
  c.options.other_kind = place_kind::gpu_memory;
  c.options.far_kind = place_kind::storage;
  c.options.channels = registry;
  c.options.staging_bytes = 4096;
  return c;
}

void there_and_back(const test_options& options) {
  with_data(
      [] {
        const box b({0, 0, 0}, {11, 17, 23});
        const auto a = instance<int, 3>::create(at(ram), b).made;
        const auto away = instance<int, 3>::create(at(far), b, {.order = axis_order::fortran}).made;
        const auto back = instance<int, 3>::create(at(ram), b).made;
        auto v = a.view();
        for (int i = 0; i < 11; ++i)
          for (int j = 0; j < 17; ++j)
            for (int k = 0; k < 23; ++k) v(i, j, k) = i * 10000 + j * 100 + k;
        wait(fill(back, -1));
        const box part({1, 2, 3}, {10, 16, 20});
        const event out = copy(a, away);
        wait(copy(away, back, part, after(out)));
        auto w = back.view();
        bool right = true;
        for (int i = 0; i < 11; ++i)
          for (int j = 0; j < 17; ++j)
            for (int k = 0; k < 23; ++k)
              right = right && w(i, j, k) == (part.contains(point(i, j, k)) ? v(i, j, k) : -1);
        CHECK(right);
        CHECK(usage_of(other).used == 0);
        CHECK(usage_of(other).peak > 0);
        CHECK(usage_of(other).peak <= 2 * 4096);
        a.destroy();
        away.destroy();
        back.destroy();
      },
      options);
}

}  // namespace

TEST_CASE("a copy between memories without a channel goes through one that has both, in bounded pieces") {
  const auto at_once = three_memories(slow_channel::manner::at_once);
  there_and_back(at_once.options);
  CHECK(at_once.way->starts > 8);
  CHECK(at_once.way->most_bytes <= 4096);
  there_and_back(three_memories(slow_channel::manner::as_task).options);
}

TEST_CASE("the largest of several boxes decides the size of the pieces, not the first one") {
  const auto c = three_memories(slow_channel::manner::at_once);
  with_data(
      [&] {
        const box parts[] = {{{0, 0}, {1, 1}}, {{1, 0}, {3, 100}}, {{5, 0}, {6, 100}}, {{4, 99}, {5, 100}}};
        const auto a = instance<int, 2>::create(at(ram), {{0, 0}, {10, 100}}).made;
        const auto between = instance<int, 2>::create(at(other), {{0, 0}, {10, 100}}).made;
        const auto away = instance<int, 2>::create(at(far), {{0, 0}, {10, 100}}).made;
        const auto back = instance<int, 2>::create(at(ram), {{0, 0}, {10, 100}}).made;
        wait(fill(a, 5));
        wait(fill(back, -1));
        const auto starts_of = [&](const auto& from, const auto& to) {
          const int before = c.way->starts;
          wait(copy(from, to, parts));
          return c.way->starts - before;
        };
        CHECK(starts_of(a, between) == 4);
        CHECK(starts_of(a, away) == 4 * 2);
        CHECK(starts_of(away, back) == 4 * 2);
        int wrong = 0;
        for (int i = 0; i < 10; ++i)
          for (int j = 0; j < 100; ++j) {
            bool copied = false;
            for (const box& b : parts) copied = copied || b.contains(point(i, j));
            wrong += back.view()(i, j) != (copied ? 5 : -1);
          }
        CHECK(wrong == 0);
      },
      c.options);
}

TEST_CASE("the profile of a staged copy counts its hops, and starts when its buffers are there") {
  with_data(
      [] {
        const auto a = instance<int>::create(at(ram), {0, 5000}).made,
                   away = instance<int>::create(at(far), {0, 5000}).made;
        future<operation_profile> p;
        wait(copy(a, away, profile(p)));
        const operation_profile seen = p.get();
        CHECK(seen.hops == 2);
        CHECK(seen.bytes == 20000);
        CHECK(seen.ready <= seen.started);
        CHECK(seen.started <= seen.ended);
      },
      three_memories(slow_channel::manner::as_task).options);
}

TEST_CASE("many staged copies at the same time all end, also where the memory between is nearly full") {
  auto c = three_memories(slow_channel::manner::as_task);
  c.options.other_bytes = 10 << 10;  // enough for the buffers of one copy of 2 x 4 KiB, and a little more
  with_data(
      [] {
        std::vector<event> all;
        std::vector<instance<int>> targets;
        for (int i = 0; i < 12; ++i) {
          const auto a = instance<int>::create(at(ram), {0, 5000}).made;
          const event filled = fill(a, i);
          const auto away = instance<int>::create(at(far), {0, 5000}).made;
          targets.push_back(instance<int>::create(at(ram), {0, 5000}).made);
          const event out = copy(a, away, after(filled));
          all.push_back(copy(away, targets.back(), after(out)));
        }
        for (const event e : all) wait(e);
        for (int i = 0; i < 12; ++i) {
          CHECK(targets[static_cast<std::size_t>(i)].view()(0) == i);
          CHECK(targets[static_cast<std::size_t>(i)].view()(4999) == i);
        }
        CHECK(usage_of(other).used == 0);
      },
      c.options);
}

TEST_CASE("with little room between, pieces are smaller; with none, the copy is poisoned and says so") {
  auto c = three_memories(slow_channel::manner::at_once);
  c.options.other_bytes = 1024;
  with_data(
      [] {
        const auto a = instance<int>::create(at(ram), {0, 3000}).made;
        const auto away = instance<int>::create(at(far), {0, 3000}).made;
        wait(fill(a, 5));
        CHECK_NOTHROW(wait(copy(a, away)));
        const auto hog = instance<char>::create(at(other), {0, 1024}).made;
        const event e = copy(a, away);
        CHECK(without_lines(thrown_by([&] { wait(e); })) ==
              "error D12: no space for one element in a memory between those of this copy\n"
              "  submitted   staged_copy_test.cpp:\n"
              "  because     its route passes through a memory that instances fill completely\n"
              "  try         leave some of that memory free");
        hog.destroy();
      },
      c.options);
}

TEST_CASE("a copy through full system memory still ends: it may be the one that frees memory") {
  auto c = three_memories(slow_channel::manner::as_task);
  c.options.ram_bytes = 64 << 10;
  auto registry = std::make_shared<places::channel_registry>();
  for (const auto kind : {place_kind::gpu_memory, place_kind::storage}) {  // other <-> ram <-> far
    registry->add(place_kind::system_memory, kind, c.way);
    registry->add(kind, place_kind::system_memory, c.way);
  }
  c.options.channels = registry;
  with_data(
      [] {
        const auto a = instance<int>::create(at(other), {0, 50000}).made;
        const auto away = instance<int>::create(at(far), {0, 50000}).made;
        const auto back = instance<int>::create(at(other), {0, 50000}).made;
        const auto seen = instance<int>::create(at(ram), {0, 10}).made;
        const auto hog = instance<char>::create(at(ram), {0, (64 << 10) - 64}).made;
        REQUIRE(usage_of(ram).used == 64 << 10);
        const event first = copy(seen, a, {0, 10}, after(fill(seen, 3)));
        std::vector<event> all;
        for (int i = 0; i < 6; ++i) all.push_back(copy(a, away, after(first)));
        all.push_back(copy(away, back, after(merge(all))));
        for (const event e : all) CHECK_NOTHROW(wait(e));
        wait(fill(seen, 0));
        wait(copy(back, seen, {0, 10}));
        CHECK(seen.view()(9) == 3);
        hog.destroy();
      },
      c.options);
}

TEST_CASE("a channel that fails poisons the copy, and the next one is not affected") {
  const auto c = three_memories(slow_channel::manner::fails_at_third);
  with_data(
      [] {
        const auto a = instance<int>::create(at(ram), {0, 9000}).made;
        const auto away = instance<int>::create(at(far), {0, 9000}).made;
        wait(fill(a, 5));
        const event e = copy(a, away);
        CHECK(thrown_by([&] { wait(e); }).find("the link is down") != std::string::npos);
        CHECK(usage_of(other).used == 0);
        CHECK_NOTHROW(wait(copy(a, away)));
      },
      c.options);
}

TEST_CASE("memories that no channels join are named by the call") {
  test_options o;
  o.far_kind = place_kind::storage;
  with_data(
      [] {
        const auto a = instance<int>::create(at(ram), {0, 10}).made;
        const auto b = instance<int>::create(at(far), {0, 10}).made;
        CHECK(without_lines(thrown_by([&] { copy(a, b); })) ==
              "error D12: no route for this copy between the memories of its instances\n"
              "  submitted   staged_copy_test.cpp:\n"
              "  from        \"ram\"\n"
              "  to          \"far\"\n"
              "  because     no sequence of registered channels joins them\n"
              "  try         copy to a memory that the processor addresses first, or register a channel");
        CHECK(without_lines(thrown_by([&] { b.view(); })) ==
              "error D15: instance I1 is in a memory that the host cannot access\n"
              "  submitted   staged_copy_test.cpp:\n"
              "  memory      far\n"
              "  try         copy it to an instance in host memory");
      },
      o);
}

TEST_CASE("routes take the least time by the channels' figures, and there is none where channels do not lead") {
  struct figures final : places::channel {
    figures(double b, double l) : bandwidth(b), latency(l) {}
    void start(const places::copy_end&, const places::copy_end&, places::copy_shape, places::completion&) override {}
    double bandwidth_bytes_per_second(place, place) const override { return bandwidth; }
    double latency_seconds(place, place) const override { return latency; }
    double bandwidth, latency;
  };
  using enum place_kind;
  places::channel_registry r;
  r.add(system_memory, gpu_memory, std::make_shared<figures>(1e9, 0));  // 1 ms for a megabyte
  r.add(system_memory, numa, std::make_shared<figures>(10e9, 0));       // 0.1
  r.add(numa, gpu_memory, std::make_shared<figures>(5e9, 1e-4));        // 0.2 and a late start
  const std::vector<stop> memories{
      {place{0}, system_memory}, {place{1}, numa}, {place{2}, gpu_memory}, {place{3}, storage}};
  CHECK(cheapest_route(memories, r, 0, 2, 1000000) == std::vector<std::size_t>{0, 1, 2});
  CHECK(cheapest_route(memories, r, 0, 2, 1000) == std::vector<std::size_t>{0, 2});
  CHECK(cheapest_route(memories, r, 0, 3, 1000).empty());
  CHECK(cheapest_route(memories, r, 2, 0, 1000).empty());
}
