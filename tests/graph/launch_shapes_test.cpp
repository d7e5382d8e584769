#include "graph/launch_shapes.hpp"

#include <doctest/doctest.h>

using namespace stretto;
using graph::chunk_grid, graph::cut, graph::launch_shapes, graph::mapping, graph::used_boxes;

namespace {

const box hundred_rows(0, 100);

// A mapping to the chunk widened by `by`, not clipped; counts its calls.
mapping wider(coordinate by, int& calls) {
  return mapping::custom(hundred_rows,
                         [by, &calls](const box& chunk, const box&) { return ++calls, region(chunk.widened({by})); });
}
chunk_grid rows(coordinate to) { return {box(0, to), 4, cut::along_rows}; }

}  // namespace

TEST_CASE("a mapping of the program's own is asked once for each chunk while launches repeat") {
  int calls = 0;
  launch_shapes shapes;
  const mapping own = wider(0, calls);
  for (int i = 0; i < 10; ++i) {
    const auto& s = shapes.find(own, rows(100));
    CHECK(s.of_nodes.size() == 4);
    CHECK(s.of_nodes[1] == used_boxes{box(25, 50)});
    CHECK(s.of_all == used_boxes{hundred_rows});
    CHECK(!s.overlap.is_there);
    CHECK(!s.outside.is_there);
  }
  CHECK(calls == 4);
  shapes.find(own, rows(80));
  CHECK(calls == 8);
  shapes.find(wider(0, calls), rows(100));  // another function, as far as the cache can tell
  CHECK(calls == 12);
}

TEST_CASE("elements of two chunks and elements outside of the buffer are found, and what is outside is cut off") {
  int calls = 0;
  launch_shapes shapes;
  const auto& s = shapes.find(wider(3, calls), rows(100));
  CHECK(s.overlap.is_there);
  CHECK(s.overlap.chunk == 0);
  CHECK(s.overlap.other == 1);
  CHECK(s.overlap.where == box(22, 28));
  CHECK(s.outside.is_there);
  CHECK(s.outside.chunk == 0);
  CHECK(s.outside.where == box(-3, 28));
  CHECK(s.of_nodes[0] == used_boxes{box(0, 28)});
}

TEST_CASE("the last of many shapes are cached") {
  int calls = 0;
  launch_shapes shapes;
  const mapping own = wider(0, calls);
  for (coordinate i = 0; i < 40; ++i) shapes.find(own, rows(60 + i));
  calls = 0;
  for (coordinate i = 39; i >= 24; --i) shapes.find(own, rows(60 + i));
  CHECK(calls == 0);
  shapes.find(own, rows(60));
  CHECK(calls == 4);
}
