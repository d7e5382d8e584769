#include <doctest/doctest.h>
#include <stretto_mpi/mpi.h>

#include <array>

#include "mpi_binding/test_rank.hpp"
#include "ranks/binding/handles.hpp"

using namespace stretto;

using pair = std::array<int, 2>;

TEST_CASE("a program asks a grid") {
  test::test_rank rank;
  const MPI_Comm comm = ranks::handle_of(rank.arranged(ranks::cartesian_grid({{2, false}, {2, true}})));
  int number = 0;
  MPI_Topo_test(comm, &number);
  CHECK(number == MPI_CART);
  MPI_Cartdim_get(comm, &number);
  CHECK(number == 2);
  pair dims, periods, coords;
  CHECK(MPI_Cart_get(comm, 2, dims.data(), periods.data(), coords.data()) == MPI_SUCCESS);
  CHECK(dims == pair{2, 2});
  CHECK(periods == pair{0, 1});
  CHECK(coords == pair{0, 1});
  CHECK(MPI_Cart_coords(comm, 2, 2, coords.data()) == MPI_SUCCESS);
  CHECK(coords == pair{1, 0});
  CHECK(MPI_Cart_rank(comm, coords.data(), &number) == MPI_SUCCESS);
  CHECK(number == 2);
  int source = 0, destination = 0;
  CHECK(MPI_Cart_shift(comm, 0, 1, &source, &destination) == MPI_SUCCESS);
  CHECK(source == MPI_PROC_NULL);
  CHECK(destination == 3);
}

TEST_CASE("erroneous questions to topologies have their classes") {
  test::test_rank rank;
  const MPI_Comm comm = ranks::handle_of(rank.arranged(ranks::cartesian_grid({{2, false}, {2, true}})));
  int number = 0, other = 0;
  pair coords = {5, 0};
  CHECK(MPI_Cart_rank(comm, coords.data(), &number) == MPI_ERR_ARG);
  CHECK(MPI_Cart_coords(comm, 0, 1, coords.data()) == MPI_ERR_ARG);
  CHECK(MPI_Cart_coords(comm, 4, 2, coords.data()) == MPI_ERR_RANK);
  CHECK(MPI_Cart_shift(comm, 2, 1, &number, &other) == MPI_ERR_DIMS);
  CHECK(MPI_Cartdim_get(MPI_COMM_WORLD, &number) == MPI_ERR_TOPOLOGY);
  CHECK(MPI_Graphdims_get(comm, &number, &other) == MPI_ERR_TOPOLOGY);
  MPI_Topo_test(MPI_COMM_WORLD, &number);
  CHECK(number == MPI_UNDEFINED);
}

TEST_CASE("a program balances and maps grids") {
  test::test_rank rank;
  pair dims = {0, 0};
  CHECK(MPI_Dims_create(72, 2, dims.data()) == MPI_SUCCESS);
  CHECK(dims == pair{9, 8});
  CHECK(MPI_Dims_create(1, 0, nullptr) == MPI_SUCCESS);
  CHECK(MPI_Dims_create(7, 2, dims.data()) == MPI_ERR_DIMS);
  int number = 0;
  const pair periods = {0, 0};
  dims = {1, 1};
  CHECK(MPI_Cart_map(MPI_COMM_WORLD, 2, dims.data(), periods.data(), &number) == MPI_SUCCESS);
  CHECK(number == MPI_UNDEFINED);
  dims = {2, 2};
  CHECK(MPI_Cart_map(MPI_COMM_WORLD, 2, dims.data(), periods.data(), &number) == MPI_SUCCESS);
  CHECK(number == 1);
  dims = {3, 2};
  CHECK(MPI_Cart_map(MPI_COMM_WORLD, 2, dims.data(), periods.data(), &number) == MPI_ERR_TOPOLOGY);
  CHECK(MPI_Graph_map(MPI_COMM_WORLD, 2, nullptr, nullptr, &number) == MPI_SUCCESS);
  CHECK(number == 1);
}

TEST_CASE("a program asks graphs") {
  test::test_rank rank;
  const MPI_Comm comm = ranks::handle_of(rank.arranged(ranks::graph_topology({1, 3, 3, 4}, {1, 0, 3, 2})));
  int nodes = 0, edges = 0;
  MPI_Graphdims_get(comm, &nodes, &edges);
  CHECK(nodes == 4);
  CHECK(edges == 4);
  MPI_Graph_neighbors_count(comm, 1, &nodes);
  CHECK(nodes == 2);
  pair neighbors = {9, 9};
  CHECK(MPI_Graph_neighbors(comm, 1, 1, neighbors.data()) == MPI_SUCCESS);
  CHECK(neighbors == pair{0, 9});
  pair index = {9, 9};
  CHECK(MPI_Graph_get(comm, 2, 2, index.data(), neighbors.data()) == MPI_SUCCESS);
  CHECK(index == pair{1, 3});
  CHECK(neighbors == pair{1, 0});
}

TEST_CASE("a program asks a distributed graph for its neighbours") {
  test::test_rank rank;
  const MPI_Comm comm = ranks::handle_of(rank.arranged(ranks::neighbor_graph{{2, 0}, {5, 6}, {3}, {7}, true}));
  int in = 0, out = 0, weighted = 0;
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  CHECK(in == 2);
  CHECK(out == 1);
  CHECK(weighted == 1);
  pair sources, weights;
  int destination = 0;
  CHECK(MPI_Dist_graph_neighbors(comm, 2, sources.data(), weights.data(), 1, &destination, MPI_UNWEIGHTED) ==
        MPI_SUCCESS);
  CHECK(sources == pair{2, 0});
  CHECK(weights == pair{5, 6});
  CHECK(destination == 3);
}
