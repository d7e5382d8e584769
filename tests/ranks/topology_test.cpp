#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "campaign.hpp"
#include "ranks/communicators/topology.hpp"
#include "ranks/thrown_class.hpp"

using namespace stretto;
using ranks::cartesian_grid, ranks::graph_topology, ranks::grid_dimension, ranks::neighbor, test::thrown_class;

namespace {

using coordinates = std::vector<int>;

cartesian_grid random_grid(std::mt19937_64& random) {
  const auto number = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  std::vector<grid_dimension> dimensions(static_cast<std::size_t>(number(0, 4)));
  for (grid_dimension& each : dimensions) each = {number(1, 4), number(0, 1) == 1};
  return cartesian_grid(dimensions);
}

/// The place moved by `displacement`, one step at a time; null_process beyond the border.
int stepped(const cartesian_grid& grid, int rank, std::size_t dimension, int displacement) {
  coordinates place = grid.coordinates_of(rank);
  const auto [size, is_periodic] = grid.dimensions()[dimension];
  for (int i = 0; i < std::abs(displacement); ++i) {
    place[dimension] += displacement > 0 ? 1 : -1;
    if (place[dimension] >= 0 && place[dimension] < size) continue;
    if (!is_periodic) return ranks::null_process;
    place[dimension] = displacement > 0 ? 0 : size - 1;
  }
  return grid.rank_of(place);
}

void check_shifts(const cartesian_grid& grid, int rank) {
  for (int dimension = 0; dimension < std::ssize(grid.dimensions()); ++dimension) {
    for (const int displacement : {-5, -1, 0, 1, 2, 4}) {
      const ranks::grid_shift shift = grid.shift(rank, dimension, displacement);
      CHECK(shift.destination == stepped(grid, rank, static_cast<std::size_t>(dimension), displacement));
      CHECK(shift.source == stepped(grid, rank, static_cast<std::size_t>(dimension), -displacement));
    }
  }
}

/// (from, to, tag) of all messages that ranks send, or that they receive.
using messages = std::map<std::tuple<int, int, int>, int>;

void check_messages_match(const ranks::topology& which, int size) {
  messages sent, received;
  for (int rank = 0; rank < size; ++rank) {
    const ranks::neighborhood all = neighbors_of(which, rank);
    for (const neighbor& to : all.destinations) {
      if (to.rank >= 0) ++sent[{rank, to.rank, to.tag}];
    }
    for (const neighbor& from : all.sources) {
      if (from.rank >= 0) ++received[{from.rank, rank, from.tag}];
    }
  }
  CHECK(sent == received);
}

std::vector<neighbor> plain(const std::vector<int>& all) {
  std::vector<neighbor> neighbors;
  for (const int rank : all) neighbors.push_back({rank, 0});
  return neighbors;
}

}  // namespace

TEST_CASE("ranks of a grid are numbered row by row") {
  const cartesian_grid grid({{2, false}, {3, true}});
  CHECK(grid.size() == 6);
  CHECK(grid.coordinates_of(4) == coordinates{1, 1});
  CHECK(grid.rank_of(coordinates{1, 1}) == 4);
  CHECK(grid.rank_of(coordinates{1, -1}) == 5);
  CHECK(grid.rank_of(coordinates{1, 7}) == 4);
  CHECK(cartesian_grid({}).size() == 1);
  CHECK(cartesian_grid({}).rank_of({}) == 0);
}

TEST_CASE("shifts in grids move by steps of one") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(300, 10'000); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const cartesian_grid grid = random_grid(random);
    for (int rank = 0; rank < grid.size(); ++rank) {
      CHECK(grid.rank_of(grid.coordinates_of(rank)) == rank);
      check_shifts(grid, rank);
    }
    check_messages_match(grid, grid.size());
  }
  CHECK(cartesian_grid({{3, true}}).shift(0, 0, std::numeric_limits<int>::min()).destination == 1);
}

TEST_CASE("parts of a grid are split by color and numbered by key") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(300, 10'000); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const cartesian_grid grid = random_grid(random);
    std::vector<bool> is_kept;
    for (std::size_t i = 0; i < grid.dimensions().size(); ++i) is_kept.push_back(random() % 2 == 0);
    const cartesian_grid part = grid.part(is_kept);
    std::vector<ranks::split_choice> choices;
    for (int rank = 0; rank < grid.size(); ++rank) choices.push_back(grid.part_of(rank, is_kept));
    const ranks::group world(ranks::world_rank{0}, grid.size());
    for (int rank = 0; rank < grid.size(); ++rank) {
      const ranks::group split = split_group(world, choices, choices[static_cast<std::size_t>(rank)].color);
      REQUIRE(split.size() == part.size());
      coordinates kept;
      for (std::size_t i = 0; i < is_kept.size(); ++i) {
        if (is_kept[i]) kept.push_back(grid.coordinates_of(rank)[i]);
      }
      CHECK(part.coordinates_of(*split.rank_of(ranks::world_rank(rank))) == kept);
    }
  }
}

TEST_CASE("erroneous places in grids are refused") {
  using enum ranks::error_class;
  const cartesian_grid grid({{2, false}, {3, true}});
  CHECK(thrown_class([&] { grid.rank_of(coordinates{2, 0}); }) == argument);
  CHECK(thrown_class([&] { grid.rank_of(coordinates{-1, 0}); }) == argument);
  CHECK(thrown_class([&] { grid.coordinates_of(6); }) == rank);
  CHECK(thrown_class([&] { grid.shift(0, 2, 1); }) == dims);
  CHECK(thrown_class([&] { grid.shift(0, -1, 1); }) == dims);
  CHECK(thrown_class([] { cartesian_grid({{0, false}}); }) == dims);
  CHECK(thrown_class([] { cartesian_grid({{-2, false}}); }) == dims);
  CHECK(thrown_class([] { cartesian_grid({{65536, false}, {32768, false}}); }) == dims);
}

TEST_CASE("neighbours in a grid are those before and after, dimension by dimension") {
  const cartesian_grid grid({{2, true}, {3, false}});
  const ranks::neighborhood all = neighbors_of(grid, 3);
  CHECK(all.sources == std::vector<neighbor>{{0, 1}, {0, 0}, {ranks::null_process, 3}, {4, 2}});
  CHECK(all.destinations == std::vector<neighbor>{{0, 0}, {0, 1}, {ranks::null_process, 2}, {4, 3}});
}

TEST_CASE("neighbours in a graph are those of its lists") {
  const graph_topology graph({2, 3, 3, 5}, {1, 3, 0, 0, 0});
  CHECK(std::ranges::equal(graph.neighbors(0), std::vector{1, 3}));
  CHECK(graph.neighbors(2).empty());
  CHECK(neighbors_of(graph, 3).destinations == plain({0, 0}));
  CHECK(kind_of(graph) == ranks::topology_kind::graph);
  using enum ranks::error_class;
  CHECK(thrown_class([&] { graph.neighbors(4); }) == rank);
  CHECK(thrown_class([] { graph_topology({1, 0}, {0}); }) == argument);
  CHECK(thrown_class([] { graph_topology({1, 2}, {0}); }) == argument);
  CHECK(thrown_class([] { graph_topology({1, 2}, {0, 2}); }) == argument);
  CHECK(thrown_class([] { graph_topology({1, 1, 1, 1}, {0, 1, 2, 3}); }) == success);
}

TEST_CASE("edges that any rank passes reach both of their ends") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(300, 10'000); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const int size = 1 + static_cast<int>(random() % 6);
    std::vector<ranks::weighted_edge> edges(random() % 20);
    for (ranks::weighted_edge& edge : edges) {
      edge = {static_cast<int>(random() % size), static_cast<int>(random() % size), static_cast<int>(random() % 9)};
    }
    std::vector<ranks::weighted_edge> of_sources, of_destinations;
    messages sent, received;
    for (int rank = 0; rank < size; ++rank) {
      const ranks::neighbor_graph graph = collected_graph(rank, edges, ranks::edge_weights::given);
      for (std::size_t i = 0; i < graph.sources.size(); ++i) {
        ++received[{graph.sources[i], rank, graph.source_weights[i]}];
      }
      for (std::size_t i = 0; i < graph.destinations.size(); ++i) {
        ++sent[{rank, graph.destinations[i], graph.destination_weights[i]}];
      }
    }
    messages expected;
    for (const auto& edge : edges) ++expected[{edge.source, edge.destination, edge.weight}];
    CHECK(sent == expected);
    CHECK(received == expected);
  }
}

TEST_CASE("a rank lists edges source by source") {
  const std::vector<int> sources{2, 0}, degrees{2, 1}, destinations{0, 1, 2}, weights{7, 8, 9};
  using edges = std::vector<ranks::weighted_edge>;
  CHECK(ranks::listed_edges({sources, degrees, destinations, weights}, 3) == edges{{2, 0, 7}, {2, 1, 8}, {0, 2, 9}});
  CHECK(ranks::listed_edges({sources, degrees, destinations, {}}, 3) == edges{{2, 0, 1}, {2, 1, 1}, {0, 2, 1}});
  const auto graph = collected_graph(2, edges{{2, 0, 7}, {0, 2, 9}}, ranks::edge_weights::none);
  CHECK(graph == ranks::neighbor_graph{{0}, {}, {0}, {}, false});
}

TEST_CASE("ranks exchange their parts of a graph as numbers") {
  const std::vector<ranks::neighbor_graph> graphs{
      {{1, 2}, {7, 8}, {0}, {9}, true}, {}, {{}, {}, {1, 0}, {}, false}, {{}, {}, {}, {}, true}};
  std::vector<int> numbers;
  for (const auto& graph : graphs) {
    const std::vector<int> own = encoded(graph);
    numbers.insert(numbers.end(), own.begin(), own.end());
  }
  CHECK(ranks::decoded_graphs(numbers) == graphs);
  CHECK(edges_of(graphs) == std::vector<ranks::weighted_edge>{{0, 0, 9}, {2, 1, 1}, {2, 0, 1}});
  CHECK(ranks::decoded_graphs({}).empty());
}

TEST_CASE("erroneous edges are refused") {
  using enum ranks::error_class;
  const std::vector<int> sources{1}, degrees{1}, negative{-1}, two{2};
  CHECK(thrown_class([&] { ranks::listed_edges({two, degrees, sources, {}}, 2); }) == rank);
  CHECK(thrown_class([&] { ranks::listed_edges({sources, degrees, two, {}}, 2); }) == rank);
  CHECK(thrown_class([&] { ranks::listed_edges({sources, negative, sources, {}}, 2); }) == argument);
  CHECK(thrown_class([&] { ranks::listed_edges({sources, degrees, sources, negative}, 2); }) == argument);
  CHECK(thrown_class([&] { ranks::check_adjacent({{2}, {}, {}, {}, false}, 2); }) == rank);
  CHECK(thrown_class([&] { ranks::check_adjacent({{}, {}, {-1}, {}, false}, 2); }) == rank);
  CHECK(thrown_class([&] { ranks::check_adjacent({{0}, {-1}, {}, {}, true}, 2); }) == argument);
}
