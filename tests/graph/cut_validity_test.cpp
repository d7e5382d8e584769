// Tasks that is_valid_for_any_cut accepts pass the checks of the graphs: random tasks, nodes, devices and weights.
#include "graph/cut_validity.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph/command_graph.hpp"
#include "graph/instruction_graph.hpp"
#include "thrown_by.hpp"

using namespace stretto;
using namespace stretto::graph;

namespace {

class drawn_task {
 public:
  explicit drawn_task(std::uint32_t seed) : random_(seed) {}

  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  box some() {
    point min, max;
    for (int a = 0; a < max_axes; ++a) {
      min[a] = number(-2, 3);
      max[a] = min[a] + number(a == 2 ? 1 : 0, a == 2 ? 1 : 9);
    }
    return box::between(min, max);
  }
  std::vector<double> weights(std::size_t n) {
    std::vector<double> all;
    while (all.size() < n) all.push_back(number(0, 4) == 0 ? 0.01 : number(1, 9));
    return number(0, 2) == 0 ? std::vector<double>() : all;
  }
  mapping one(const box& elements) {
    const point border(number(0, 1), number(0, 1), 0);
    const auto axis = [&] { return static_cast<std::uint8_t>(number(0, 2)); };
    switch (number(0, 8)) {
      case 0: return mapping::transposed(elements, {axis(), axis(), axis()});
      case 1: return mapping::even_split(elements);
      case 2: return mapping::neighborhood(elements, border);
      case 3: return mapping::slice(elements, number(0, 2));
      case 4: return mapping::all(elements);
      case 5: return mapping::custom(elements, [](const box& chunk, const box&) { return region(chunk); });
      default: return mapping::one_to_one(elements);
    }
  }
  task make(std::span<const box> elements) {
    task t;
    t.name = "t";
    t.range = some();
    t.kind = std::array{task_kind::kernel, task_kind::kernel, task_kind::kernel, task_kind::one,
                        task_kind::each}[static_cast<std::size_t>(number(0, 4))];
    t.how = number(0, 1) ? cut::in_tiles : cut::along_rows;
    t.grain = extent(number(1, 3), number(1, 3));
    t.pieces = static_cast<std::uint32_t>(number(1, 3));
    for (int n = number(1, 3); n > 0; --n) {
      const auto b = static_cast<std::uint32_t>(number(0, static_cast<int>(elements.size()) - 1));
      t.accesses.push_back(
          {{b},
           std::array{mode::read, mode::write, mode::read_write}[static_cast<std::size_t>(number(0, 2))],
           one(elements[b])});
    }
    for (int n = number(0, 3) ? 0 : number(1, 2); n > 0; --n)
      t.reductions.push_back({{static_cast<std::uint32_t>(number(0, static_cast<int>(elements.size()) - 1))}});
    return t;
  }

 private:
  std::mt19937 random_;
};

/// The error of the first task of a node, or an empty string.
std::string refused(drawn_task& d, const task& t, std::span<const box> elements, node_number nodes) {
  node_shape shape;
  for (int n = d.number(0, 3); n > 0; --n) shape.devices.push_back(static_cast<memory_number>(n));
  command_graph commands(static_cast<node_number>(d.number(0, static_cast<int>(nodes) - 1)), nodes);
  instruction_graph instructions(shape);
  std::vector<instruction> first;
  for (const box& b : elements) {
    const buffer made{.elements = b, .initial = initial_data::replicated, .name = "b"};
    commands.add(made);
    instructions.add(made, first);
  }
  commands.set_weights(chunk_weights(d.weights(nodes)));
  instructions.set_weights(
      chunk_weights(shape.devices.empty() ? std::vector<double>() : d.weights(shape.devices.size())));
  try {
    commands.check(t);
    instructions.check(t, commands.own_chunk(t));
    return {};
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("a task that is valid for any cut passes the checks of the graphs for random cuts") {
  int sure = 0, unsure = 0, wrong = 0;
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    drawn_task d(seed);
    std::vector<box> elements;
    for (int n = d.number(1, 3); n > 0; --n) elements.push_back(d.some());
    const task t = d.make(elements);
    const auto nodes = static_cast<node_number>(d.number(1, 6));
    const bool is_never_refused = is_valid_for_any_cut(t, nodes);
    const std::string why = refused(d, t, elements, nodes);
    is_never_refused ? ++sure : ++unsure;
    wrong += !is_never_refused && !why.empty();
    INFO(seed, ": ", why);
    if (is_never_refused) REQUIRE(why.empty());
  }
  CHECK(sure > 4'000);
  CHECK(wrong > 4'000);  // tasks for which false was returned
}

TEST_CASE("common launches are valid for any cut") {
  const box line(0, 100), plane({0, 0}, {30, 40});
  const auto is_valid = [](task t, node_number nodes = 5) { return is_valid_for_any_cut(t, nodes); };
  const buffer_id u{0}, v{1};
  CHECK(is_valid(
      {.range = line,
       .accesses = {{u, mode::read, mapping::neighborhood(line, {1})}, {v, mode::write, mapping::one_to_one(line)}},
       .reductions = {},
       .name = {}}));
  CHECK(is_valid({.range = plane,
                  .accesses = {{u, mode::read_write, mapping::one_to_one(plane)}, {v, mode::read, mapping::all(line)}},
                  .reductions = {},
                  .name = {}}));
  CHECK(is_valid(
      {.range = line, .accesses = {{u, mode::read, mapping::one_to_one(line)}}, .reductions = {{v}}, .name = {}}));
  CHECK(is_valid({.kind = task_kind::one,
                  .range = line,
                  .accesses = {{u, mode::write, mapping::all(line)}},
                  .reductions = {},
                  .name = {}}));
  const task each{.kind = task_kind::each,
                  .range = line,
                  .accesses = {{u, mode::write, mapping::all(line)}},
                  .reductions = {},
                  .name = {}};
  CHECK(is_valid(each, 1));
  CHECK(!is_valid(each, 2));
  CHECK(!is_valid(
      {.range = line, .accesses = {{u, mode::write, mapping::neighborhood(line, {1})}}, .reductions = {}, .name = {}}));
  CHECK(!is_valid(
      {.range = line, .accesses = {{u, mode::read, mapping::one_to_one(line)}}, .reductions = {{u}}, .name = {}}));
  CHECK(!is_valid({.range = line, .accesses = {}, .reductions = {{u}, {u}}, .name = {}}));
}
