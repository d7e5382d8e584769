#include <stretto/copy.hpp>
#include <stretto/instance.hpp>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "data/data_runtime.hpp"
#include "thrown_by.hpp"

using namespace stretto;
using namespace stretto::data;

TEST_CASE("an index space gives every element once, takes back what it gave, and knows its runs") {
  CHECK(rc::check([] {
    const auto capacity = *rc::gen::inRange<std::uint64_t>(0, 200);
    index_space space(capacity);
    std::set<coordinate> model;
    const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-2, 200));
    for (const int s : steps) {
      if (s < 0 || model.empty()) {
        const auto e = space.try_allocate();
        RC_ASSERT(e.has_value() == (model.size() < capacity));
        if (e) {
          RC_ASSERT(e->index >= 0);
          RC_ASSERT(e->index < static_cast<coordinate>(capacity));
          RC_ASSERT(model.insert(e->index).second);
        }
      } else {
        const auto at = std::next(model.begin(), s % static_cast<int>(model.size()));
        space.free(element{*at});
        RC_ASSERT(!space.contains(element{*at}));
        model.erase(at);
      }
      RC_ASSERT(space.size() == model.size());
    }
    std::set<coordinate> seen;
    coordinate last = -1;
    for (const box& run : space.runs()) {
      RC_ASSERT(run.min()[0] > last);  // adjacent runs are joined
      last = run.max()[0];
      for (coordinate i = run.min()[0]; i < run.max()[0]; ++i) seen.insert(i);
    }
    RC_ASSERT(seen == model);
  }));
}

TEST_CASE("threads that allocate and free at the same time never get the same element") {
  index_space space(1000);
  std::vector<std::atomic<int>> holders(1000);
  std::atomic<bool> twice{false};
  const auto work = [&] {
    std::vector<element> mine;
    for (int i = 0; i < 20000; ++i) {
      if (mine.size() < 400 && i % 3 != 0) {
        const element e = space.allocate();
        if (holders[static_cast<std::size_t>(e.index)].fetch_add(1) != 0) twice = true;
        mine.push_back(e);
      } else if (!mine.empty()) {
        const element e = mine[static_cast<std::size_t>(i) % mine.size()];
        std::erase_if(mine, [&](element x) { return x.index == e.index; });
        holders[static_cast<std::size_t>(e.index)].fetch_sub(1);
        space.free(e);
      }
    }
    for (const element e : mine) {
      holders[static_cast<std::size_t>(e.index)].fetch_sub(1);
      space.free(e);
    }
  };
  std::thread other_thread(work);
  work();
  other_thread.join();
  CHECK_FALSE(twice.load());
  CHECK(space.size() == 0);
}

TEST_CASE("an element pointer holds in every instance of its space, also as an index") {
  with_data([] {
    index_space nodes(100);
    const auto here = instance<double>::create(at(ram), nodes.elements()).made;
    const auto there = instance<double>::create(at(other), nodes.elements()).made;
    const auto next = instance<element>::create(at(ram), nodes.elements()).made;
    wait(fill(there, -1.0));
    const element a = nodes.allocate(), b = nodes.allocate(), c = nodes.allocate();
    nodes.free(b);
    here.view()(a) = 1;
    here.view()(b) = 2;
    here.view()(c) = 3;
    wait(copy(here, there, nodes.runs()));
    CHECK(there.view()(a) == 1);
    CHECK(there.view()(b) == -1);
    CHECK(there.view()(c) == 3);
    wait(fill(next, element{0}));
    next.view()(a) = c;
    const auto values = instance<double>::create(at(ram), nodes.elements()).made;
    wait(gather(there, next, values));
    CHECK(values.view()(a) == 3);
  });
}

TEST_CASE("an exhausted space and an element freed twice are errors") {
  index_space two(2);
  two.allocate();
  const element e = two.allocate();
  CHECK(without_lines(thrown_by([&] { two.allocate(); })) ==
        "error D18: an index space has no free element\n"
        "  allocated   index_space_test.cpp:\n"
        "  capacity    2 elements\n"
        "  try         make the index space larger, or free elements first");
  two.free(e);
  CHECK(without_lines(thrown_by([&] { two.free(e); })) ==
        "error D19: an element was freed that is not allocated\n"
        "  freed       index_space_test.cpp:\n"
        "  element     1\n"
        "  capacity    2 elements\n"
        "  because     it was freed before, or never allocated");
  CHECK(thrown_by([&] { two.free(element{64}); }).find("it belongs to another index space") != std::string::npos);
}

TEST_CASE("a copy of an index space has the same elements, and is then on its own") {
  for (const std::uint64_t capacity : {0u, 1u, 63u, 64u, 65u, 1000u}) {
    CAPTURE(capacity);
    index_space space(capacity);
    for (std::uint64_t i = 0; i < capacity; ++i) space.allocate();
    for (std::uint64_t i = 0; i < capacity; i += 3) space.free(element{static_cast<coordinate>(i)});
    index_space copy(space), assigned(7);
    assigned = space;
    const auto read = from_bytes<index_space>(to_bytes(space));
    for (const index_space* one : {&std::as_const(copy), &std::as_const(assigned), &read}) {
      CHECK(one->runs() == space.runs());
      CHECK(one->size() == space.size());
      CHECK(one->capacity() == capacity);
    }
    if (capacity == 0) continue;
    copy.allocate();
    CHECK(copy.size() == space.size() + 1);
    CHECK(assigned.runs() == space.runs());
  }
}

TEST_CASE("bytes that are no index space are refused") {
  using runs = std::vector<std::array<coordinate, 2>>;
  const auto read = [](std::uint64_t capacity, const runs& r) {
    return test::error_of([&] { from_bytes<index_space>(to_bytes(capacity, r)); }).code();
  };
  CHECK(read(10, {{2, 4}, {4, 10}}).empty());
  for (const runs& wrong : {runs{{2, 11}}, runs{{4, 5}, {2, 3}}, runs{{3, 3}}, runs{{-1, 2}}, runs{{2, 5}, {4, 6}}})
    CHECK(read(10, wrong) == "B40");
}
