// The exact texts of the errors of command_graph.
#include <doctest/doctest.h>

#include <vector>

#include "graph/command_graph.hpp"
#include "thrown_by.hpp"

using namespace stretto;
using namespace stretto::graph;

namespace {

const box line_of(0, 1'024);

// The error of the first task on node 1 of 4. B3 is "image"; B0 to B2 are other buffers.
std::string refused(const task& t) {
  command_graph g(1, 4);
  for (int i = 0; i < 3; ++i) g.add(buffer{.elements = line_of, .initial = initial_data::replicated, .name = "other"});
  g.add(buffer{.elements = line_of, .initial = initial_data::replicated, .name = "image"});
  std::vector<command> commands;
  const std::string text = test::thrown_by([&] { g.add({1}, t, commands); });
  CHECK(commands.empty());
  return text;
}

task blur(std::vector<graph::access> uses) {
  return {.range = line_of, .accesses = std::move(uses), .reductions = {}, .name = "blur"};
}
constexpr buffer_id image{3};

}  // namespace

TEST_CASE("two chunks that write the same elements are named, with the repair") {
  CHECK(refused(blur({{image, mode::write, mapping::neighborhood(line_of, {1})}})) ==
        "error B04: two chunks of \"blur\" write the same elements of buffer B3 \"image\"\n"
        "  writers     chunk 0 [0,256) on N0, chunk 1 [256,512) on N1\n"
        "  try         write with one_to_one, and read neighbouring elements from a second buffer");
}

TEST_CASE("every node that writes the same elements is one of the writers") {
  task t = blur({{image, mode::write, mapping::one_to_one(line_of)}});
  t.kind = task_kind::each;
  CHECK(refused(t) ==
        "error B04: two chunks of \"blur\" write the same elements of buffer B3 \"image\"\n"
        "  writers     every node\n"
        "  try         write with one_to_one, and read neighbouring elements from a second buffer");
}

TEST_CASE("the error of a custom mapper names the elements that two chunks write") {
  const auto wider =
      mapping::custom(line_of, [](const box& chunk, const box& all) { return intersection(chunk.widened({1}), all); });
  CHECK(refused(blur({{image, mode::write, wider}})) ==
        "error B04: two chunks of \"blur\" write the same elements of buffer B3 \"image\"\n"
        "  overlap     [255,257)\n"
        "  writers     chunk 0 [0,256) on N0, chunk 1 [256,512) on N1\n"
        "  try         let the mapper return disjoint elements for each chunk, or cut the range at multiples only: "
        "constrain_split(n)");
}

TEST_CASE("the error of a mapper that leaves the buffer names the elements that it may give") {
  const auto wider = mapping::custom(
      line_of, [](const box& chunk, const box&) { return region(box(chunk.min()[0], chunk.max()[0] + 6)); });
  CHECK(refused(blur({{image, mode::read, wider}})) ==
        "error B05: a chunk of \"blur\" uses elements outside of buffer B3 \"image\"\n"
        "  elements    [0,1024)\n"
        "  used        [768,1030)\n"
        "  used by     chunk 3 [768,1024) on N3\n"
        "  try         clip the mapper's result to the buffer's elements, the mapper's second argument");
}

TEST_CASE("a buffer that a task reduces into is used in no other way") {
  const buffer_id sum{2};
  task t = blur({{image, mode::read, mapping::one_to_one(line_of)}, {sum, mode::read, mapping::all(line_of)}});
  t.reductions = {{sum}};
  CHECK(refused(t) ==
        "error B06: \"blur\" reduces into buffer B2 \"other\", which it also uses otherwise\n"
        "  reduction   0\n"
        "  other use   read by access 1\n"
        "  because     the buffer holds the result only after every chunk of the task has ended\n"
        "  try         use the result in a separate task, and one buffer for each reduction");
  SUBCASE("nor written") {
    t.accesses[1] = {sum, mode::write, mapping::one_to_one(line_of)};
    CHECK(refused(t).find("written by access 1") != std::string::npos);
  }
  SUBCASE("nor reduced into twice") {
    t.accesses.pop_back();
    t.reductions.push_back({sum});
    CHECK(refused(t).find("the result of reduction 0") != std::string::npos);
  }
}
