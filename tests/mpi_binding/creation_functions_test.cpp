#include <doctest/doctest.h>
#include <stretto_mpi/mpi.h>

#include <array>
#include <vector>

#include "mpi_binding/test_rank.hpp"

using namespace stretto;

namespace {

struct members_seen {
  int rank = -1;
  int size = -1;

  friend bool operator==(const members_seen&, const members_seen&) = default;
};

members_seen seen(MPI_Comm comm) {
  members_seen members;
  CHECK(MPI_Comm_rank(comm, &members.rank) == MPI_SUCCESS);
  CHECK(MPI_Comm_size(comm, &members.size) == MPI_SUCCESS);
  return members;
}

void free_all(std::vector<MPI_Comm> all) {
  for (MPI_Comm& each : all) {
    CHECK(MPI_Comm_free(&each) == MPI_SUCCESS);
    CHECK(each == MPI_COMM_NULL);
  }
}

int doubled(MPI_Comm, int, void*, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = 1;
  return MPI_SUCCESS;
}

int refuse_copy(MPI_Comm, int, void*, void*, void*, int*) { return MPI_ERR_OTHER; }

}  // namespace

TEST_CASE("ranks duplicate and split communicators") {
  test::run_ranks(4, [](int rank) {
    MPI_Comm dup, half, none;
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &dup) == MPI_SUCCESS);
    CHECK(seen(dup) == members_seen{rank, 4});
    int result = 0;
    MPI_Comm_compare(dup, MPI_COMM_WORLD, &result);
    CHECK(result == MPI_CONGRUENT);
    CHECK(MPI_Comm_split(dup, rank % 2, -rank, &half) == MPI_SUCCESS);
    CHECK(seen(half) == members_seen{rank < 2 ? 1 : 0, 2});
    CHECK(MPI_Comm_split(dup, MPI_UNDEFINED, 0, &none) == MPI_SUCCESS);
    CHECK(none == MPI_COMM_NULL);
    CHECK(MPI_Comm_split(dup, -5, 0, &none) == MPI_ERR_ARG);
    free_all({dup, half});
    CHECK(MPI_Comm_free(&none) == MPI_ERR_COMM);
    MPI_Comm world = MPI_COMM_WORLD;
    CHECK(MPI_Comm_free(&world) == MPI_ERR_COMM);
  });
}

TEST_CASE("ranks split communicators by node") {
  test::run_ranks(4, [](int rank) {
    MPI_Comm node, unguided, none;
    CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) == MPI_SUCCESS);
    CHECK(seen(node) == members_seen{rank % 2, 2});
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &unguided);
    CHECK(seen(unguided) == members_seen{rank % 2, 2});
    MPI_Comm_split_type(node, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &none);
    CHECK(none == MPI_COMM_NULL);
    free_all({node, unguided});
  });
}

TEST_CASE("ranks create communicators of groups") {
  test::run_ranks(4, [](int rank) {
    MPI_Group world, even;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const std::array ranks = {2, 0};
    MPI_Group_incl(world, 2, ranks.data(), &even);
    MPI_Comm created, of_group = MPI_COMM_NULL;
    CHECK(MPI_Comm_create(MPI_COMM_WORLD, even, &created) == MPI_SUCCESS);
    CHECK((created == MPI_COMM_NULL) == (rank % 2 == 1));
    if (rank % 2 == 0) {
      CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, even, 3, &of_group) == MPI_SUCCESS);
      CHECK(seen(of_group) == members_seen{rank == 2 ? 0 : 1, 2});
      MPI_Comm refused;
      CHECK(MPI_Comm_create_group(created, world, 3, &refused) == MPI_ERR_GROUP);
      free_all({created, of_group});
    }
    MPI_Group_free(&world);
    MPI_Group_free(&even);
  });
}

TEST_CASE("ranks join two groups and merge them") {
  test::run_ranks(5, [](int rank) {
    const bool is_left = rank < 2;
    MPI_Comm half, both, dup, merged, part;
    MPI_Comm_split(MPI_COMM_WORLD, is_left, 0, &half);
    CHECK(MPI_Intercomm_create(half, 1, MPI_COMM_WORLD, is_left ? 3 : 1, 7, &both) == MPI_SUCCESS);
    int size = 0, flag = 0;
    MPI_Comm_remote_size(both, &size);
    CHECK(size == (is_left ? 3 : 2));
    MPI_Comm_test_inter(both, &flag);
    CHECK(flag % 10 == 1);  // a tool of these tests adds 10
    CHECK(MPI_Comm_dup(both, &dup) == MPI_SUCCESS);
    CHECK(MPI_Intercomm_merge(dup, is_left, &merged) == MPI_SUCCESS);
    CHECK(seen(merged) == members_seen{is_left ? rank + 3 : rank - 2, 5});
    CHECK(MPI_Comm_split(both, rank == 0 || rank == 4 ? 0 : MPI_UNDEFINED, 0, &part) == MPI_SUCCESS);
    CHECK((part != MPI_COMM_NULL) == (rank == 0 || rank == 4));
    if (part != MPI_COMM_NULL) free_all({part});
    MPI_Comm refused;
    CHECK(MPI_Intercomm_merge(half, 0, &refused) == MPI_ERR_COMM);
    CHECK(MPI_Intercomm_create(half, 9, MPI_COMM_WORLD, 0, 7, &refused) == MPI_ERR_RANK);
    free_all({half, both, dup, merged});
  });
}

TEST_CASE("duplicates get attributes, and a failed duplication gives no communicator") {
  test::run_ranks(2, [](int) {
    int copied = 0, refused = 0, flag = 0;
    std::array<char, 2> value = {};
    MPI_Comm_create_keyval(doubled, MPI_COMM_NULL_DELETE_FN, &copied, nullptr);
    MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &refused, nullptr);
    MPI_Comm_set_attr(MPI_COMM_WORLD, copied, value.data());
    MPI_Comm dup, failed = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    char* found = nullptr;
    MPI_Comm_get_attr(dup, copied, &found, &flag);
    CHECK(flag == 1);
    CHECK(found == &value[1]);
    MPI_Comm_set_attr(dup, refused, nullptr);
    CHECK(MPI_Comm_dup(dup, &failed) == MPI_ERR_OTHER);
    CHECK(failed == MPI_COMM_NULL);
    free_all({dup});
    MPI_Comm_delete_attr(MPI_COMM_WORLD, copied);
    MPI_Comm_free_keyval(&copied);
    MPI_Comm_free_keyval(&refused);
  });
}

TEST_CASE("ranks create grids and take their rows") {
  test::run_ranks(5, [](int rank) {
    const std::array dims = {2, 2}, periods = {0, 1}, rows = {0, 1}, none = {0, 0}, large = {2, 3};
    MPI_Comm grid, row, point;
    CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, large.data(), periods.data(), 0, &grid) == MPI_ERR_TOPOLOGY);
    CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 1, &grid) == MPI_SUCCESS);
    CHECK((grid == MPI_COMM_NULL) == (rank == 4));
    if (rank == 4) return;
    CHECK(MPI_Cart_sub(grid, rows.data(), &row) == MPI_SUCCESS);
    CHECK(seen(row) == members_seen{rank % 2, 2});
    int count = -1;
    MPI_Cartdim_get(row, &count);
    CHECK(count == 1);
    CHECK(MPI_Cart_sub(grid, none.data(), &point) == MPI_SUCCESS);
    CHECK(seen(point) == members_seen{0, 1});
    MPI_Cartdim_get(point, &count);
    CHECK(count == 0);
    free_all({grid, row, point});
  });
}

TEST_CASE("ranks create graphs") {
  test::run_ranks(3, [](int rank) {
    const std::array index = {1, 2}, edges = {1, 0};
    MPI_Comm graph, empty;
    CHECK(MPI_Graph_create(MPI_COMM_WORLD, 2, index.data(), edges.data(), 0, &graph) == MPI_SUCCESS);
    CHECK((graph == MPI_COMM_NULL) == (rank == 2));
    CHECK(MPI_Graph_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &empty) == MPI_SUCCESS);
    CHECK(empty == MPI_COMM_NULL);
    if (rank < 2) free_all({graph});
  });
}

TEST_CASE("ranks create distributed graphs from edges that any rank passes") {
  test::run_ranks(3, [](int rank) {
    // rank 0 passes a ring of all ranks, rank 2 an edge from 0 to 0, rank 1 nothing
    const std::vector<int> sources = rank == 0 ? std::vector{0, 1, 2} : rank == 2 ? std::vector{0} : std::vector<int>();
    const std::vector<int> destinations = rank == 0 ? std::vector{1, 2, 0} : sources;
    const std::vector<int> degrees(sources.size(), 1), weights = {5, 6, 7};
    MPI_Comm graph;
    const int result = MPI_Dist_graph_create(
        MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), degrees.data(), destinations.data(),
        sources.empty() ? MPI_WEIGHTS_EMPTY : weights.data(), MPI_INFO_NULL, 0, &graph);
    CHECK(result == MPI_SUCCESS);
    int in = 0, out = 0, weighted = 0;
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK(in == (rank == 0 ? 2 : 1));
    CHECK(weighted == 1);
    std::array<int, 2> from = {}, of = {}, to = {}, of_to = {};
    MPI_Dist_graph_neighbors(graph, 2, from.data(), of.data(), 2, to.data(), of_to.data());
    CHECK(from[0] == (rank + 2) % 3);
    CHECK(of[0] == 5 + (rank + 2) % 3);
    CHECK(to[0] == (rank + 1) % 3);
    if (rank == 0) CHECK(from[1] == 0);
    MPI_Comm adjacent;
    CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from.data(), MPI_UNWEIGHTED, 1, to.data(), MPI_UNWEIGHTED,
                                         MPI_INFO_NULL, 0, &adjacent) == MPI_SUCCESS);
    MPI_Dist_graph_neighbors_count(adjacent, &in, &out, &weighted);
    CHECK(weighted == 0);
    CHECK(out == 1);
    free_all({graph, adjacent});
  });
}
