#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "campaign.hpp"
#include "ranks/communicators/rank_reordering.hpp"

using namespace stretto;
using ranks::cartesian_grid, ranks::crossing_weight, ranks::place_graph, ranks::rank_location;

namespace {

using locations = std::vector<rank_location>;

locations locations_of(const std::vector<int>& order, const locations& of_ranks) {
  locations at_places;
  for (const int rank : order) at_places.push_back(of_ranks[static_cast<std::size_t>(rank)]);
  return at_places;
}

/// `nodes` nodes with `workers` workers each, as many ranks on each worker; consecutive ranks are near.
locations in_blocks(int ranks, int nodes, int workers) {
  locations all;
  for (int rank = 0; rank < ranks; ++rank) {
    const int worker = rank * nodes * workers / ranks;
    all.push_back({worker / workers, worker % workers});
  }
  return all;
}

/// Consecutive ranks are on consecutive nodes.
locations cyclic(int ranks, int nodes, int workers) {
  locations all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back({rank % nodes, rank / nodes % workers});
  return all;
}

crossing_weight reordered_crossings(const cartesian_grid& grid, const locations& of_ranks) {
  return crossings(place_graph(grid), locations_of(near_ranks(grid, of_ranks), of_ranks));
}

bool is_permutation_of_ranks(std::vector<int> order, std::size_t ranks) {
  std::ranges::sort(order);
  std::vector<int> all(ranks);
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

/// No two places can exchange their ranks and lessen the weight.
bool has_no_better_exchange(const place_graph& graph, locations at_places) {
  const crossing_weight weight = crossings(graph, at_places);
  for (std::size_t a = 0; a < at_places.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      std::swap(at_places[a], at_places[b]);
      const crossing_weight exchanged = crossings(graph, at_places);
      std::swap(at_places[a], at_places[b]);
      if (exchanged.between_nodes < weight.between_nodes) return false;
      if (at_places[a].node == at_places[b].node && exchanged < weight) return false;
    }
  }
  return true;
}

template <class Which>
void check_near_order(const Which& which, const place_graph& graph, const locations& of_ranks) {
  const std::vector<int> order = near_ranks(which, of_ranks);
  REQUIRE(is_permutation_of_ranks(order, of_ranks.size()));
  const locations at_places = locations_of(order, of_ranks);
  CHECK(crossings(graph, at_places) <= crossings(graph, of_ranks));
  CHECK(has_no_better_exchange(graph, at_places));
  if (crossings(graph, at_places) == crossings(graph, of_ranks)) CHECK(std::ranges::is_sorted(order));
}

locations random_locations(std::mt19937_64& random, int ranks) {
  const int nodes = 1 + static_cast<int>(random() % 4), workers = 1 + static_cast<int>(random() % 3);
  if (random() % 2 == 0) return cyclic(ranks, nodes, workers);
  locations all;
  for (int rank = 0; rank < ranks; ++rank)
    all.push_back({static_cast<int>(random() % nodes), static_cast<int>(random() % workers)});
  return all;
}

}  // namespace

TEST_CASE("links between nodes and between workers are counted apart") {
  const place_graph line(4, std::vector<ranks::weighted_edge>{{0, 1, 5}, {1, 2, 7}, {3, 2, 9}, {3, 3, 100}});
  CHECK(crossings(line, locations{{0, 0}, {0, 1}, {1, 1}, {1, 1}}) == crossing_weight{7, 5});
  CHECK(crossings(line, locations{{0, 0}, {0, 0}, {0, 0}, {0, 0}}) == crossing_weight{0, 0});
  // one link of a ring of two places in each direction
  CHECK(crossings(place_graph(cartesian_grid({{2, true}})), locations{{0, 0}, {1, 0}}) == crossing_weight{2, 0});
}

TEST_CASE("a square of ranks is cut into squares, for nodes and then for workers") {
  const cartesian_grid square({{8, false}, {8, false}});
  // four nodes have 4 x 4 places each, and their four workers 2 x 2
  CHECK(reordered_crossings(square, in_blocks(64, 4, 4)) == crossing_weight{16, 32});
  CHECK(reordered_crossings(square, cyclic(64, 4, 4)) == crossing_weight{16, 32});
  CHECK(crossings(place_graph(square), in_blocks(64, 4, 4)) == crossing_weight{24, 40});
}

TEST_CASE("a cube of ranks is cut into cubes") {
  CHECK(reordered_crossings(cartesian_grid({{4, false}, {4, false}, {4, false}}), in_blocks(64, 8, 1)).between_nodes ==
        48);
}

TEST_CASE("a grid whose rows are longer than its columns is cut across the rows") {
  CHECK(reordered_crossings(cartesian_grid({{2, false}, {12, false}}), in_blocks(24, 3, 1)) == crossing_weight{4, 0});
}

TEST_CASE("nodes with different numbers of ranks get rows of a grid") {
  const locations of_ranks{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0}, {1, 0}, {1, 0}};
  CHECK(reordered_crossings(cartesian_grid({{3, false}, {3, false}}), of_ranks) == crossing_weight{3, 0});
}

TEST_CASE("ranks that are near keep their order") {
  const locations of_ranks = in_blocks(16, 4, 1);
  const auto order = near_ranks(cartesian_grid({{16, false}}), of_ranks);
  CHECK(std::ranges::is_sorted(order));
}

TEST_CASE("a ring whose places have random numbers is cut into arcs") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(20, 500); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<int> ring(32);
    std::iota(ring.begin(), ring.end(), 0);
    std::ranges::shuffle(ring, random);
    std::vector<ranks::weighted_edge> edges;
    for (std::size_t i = 0; i < ring.size(); ++i) edges.push_back({ring[i], ring[(i + 1) % ring.size()], 3});
    const place_graph graph(32, edges);
    const locations of_ranks = cyclic(32, 4, 2);
    CHECK(crossings(graph, locations_of(near_ranks(graph, of_ranks), of_ranks)) == crossing_weight{12, 12});
  }
}

TEST_CASE("heavy links stay on one node") {
  // pairs that exchange much, across two nodes
  std::vector<ranks::weighted_edge> edges;
  for (int place = 0; place < 8; ++place) edges.push_back({place, (place + 1) % 8, 1});
  for (int place = 0; place < 4; ++place) edges.push_back({place, place + 4, 1000});
  const place_graph graph(8, edges);
  const locations of_ranks = in_blocks(8, 2, 1);
  CHECK(crossings(graph, of_ranks).between_nodes > 4000);
  CHECK(crossings(graph, locations_of(near_ranks(graph, of_ranks), of_ranks)).between_nodes == 4);
}

TEST_CASE("no order is worse than that of ranks, and none has a better exchange") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(200, 10'000); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<ranks::grid_dimension> dimensions(random() % 4);
    for (auto& each : dimensions) each = {1 + static_cast<int>(random() % 5), random() % 2 == 0};
    const cartesian_grid grid(dimensions);
    check_near_order(grid, place_graph(grid), random_locations(random, grid.size()));
    const int places = static_cast<int>(random() % 20);
    std::vector<ranks::weighted_edge> edges(places > 0 ? random() % 50 : 0);
    for (auto& edge : edges) {
      edge = {static_cast<int>(random() % places), static_cast<int>(random() % places), static_cast<int>(random() % 5)};
    }
    const place_graph graph(places, edges);
    check_near_order(graph, graph, random_locations(random, places));
  }
}
