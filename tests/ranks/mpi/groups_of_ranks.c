/* groups_of_ranks.c - communicators of parts of the ranks, collectives on them, grids and intercommunicators. */
#include <mpi.h>
#include <stdlib.h>

#include "check.h"

static int rank, size;

static void check_collectives(MPI_Comm comm) {
  int own, count, sum = 0;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &count);
  int *all = malloc(sizeof(int) * count), *mine = malloc(sizeof(int) * count);
  const int data = own * own;
  CHECK_CALL(MPI_Allgather(&data, 1, MPI_INT, all, 1, MPI_INT, comm));
  for (int i = 0; i < count; ++i) CHECK_EQUAL(all[i], i * i);
  CHECK_CALL(MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK_EQUAL(sum, count * (count - 1) / 2);
  CHECK_CALL(MPI_Exscan(&own, &sum, 1, MPI_INT, MPI_SUM, comm));
  if (own > 0) CHECK_EQUAL(sum, own * (own - 1) / 2);
  for (int root = 0; root < count; ++root) {
    int told = own == root ? root + 17 : -1;
    CHECK_CALL(MPI_Bcast(&told, 1, MPI_INT, root, comm));
    CHECK_EQUAL(told, root + 17);
    CHECK_CALL(MPI_Gather(&own, 1, MPI_INT, all, 1, MPI_INT, root, comm));
    for (int i = 0; i < count && own == root; ++i) CHECK_EQUAL(all[i], i);
    CHECK_CALL(MPI_Scatter(all, 1, MPI_INT, &told, 1, MPI_INT, root, comm));
    CHECK_EQUAL(told, own);
    CHECK_CALL(MPI_Reduce(own == root ? MPI_IN_PLACE : &told, &told, 1, MPI_INT, MPI_MAX, root, comm));
    if (own == root) CHECK_EQUAL(told, count - 1);
  }
  for (int i = 0; i < count; ++i) mine[i] = own * 100 + i;
  CHECK_CALL(MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, comm));
  for (int i = 0; i < count; ++i) CHECK_EQUAL(all[i], i * 100 + own);
  MPI_Request requests[3];
  int results[2] = {0, 0};
  CHECK_CALL(MPI_Ibarrier(comm, &requests[0]));
  CHECK_CALL(MPI_Iallreduce(&own, &results[0], 1, MPI_INT, MPI_MAX, comm, &requests[1]));
  CHECK_CALL(MPI_Iallreduce(&own, &results[1], 1, MPI_INT, MPI_MIN, comm, &requests[2]));
  CHECK_CALL(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
  CHECK_EQUAL(results[0], count - 1);
  CHECK_EQUAL(results[1], 0);
  free(all), free(mine);
}

/* x -> first * x + second: composition does not commute. */
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  const long long* a = in;
  long long* b = inout;
  (void)type;
  for (int i = 0; i < *count; ++i, a += 2, b += 2) {
    const long long first = a[0] * b[0] % 1000003, second = (a[1] * b[0] + b[1]) % 1000003;
    b[0] = first, b[1] = second;
  }
}

static void check_order_of_operands(void) {
  MPI_Datatype pair;
  MPI_Op composition;
  MPI_Type_contiguous(2, MPI_LONG_LONG, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(compose, 0, &composition);
  const long long own[2] = {rank + 2, 3 * rank + 1};
  long long expected[2] = {2, 1}, got[2];
  for (int i = 1; i < size; ++i) {
    long long next[2] = {i + 2, 3 * i + 1};
    int one = 1;
    compose(expected, next, &one, &pair);
    expected[0] = next[0], expected[1] = next[1];
  }
  CHECK_CALL(MPI_Allreduce(own, got, 1, pair, composition, MPI_COMM_WORLD));
  CHECK_EQUAL((int)got[0], (int)expected[0]);
  CHECK_EQUAL((int)got[1], (int)expected[1]);
  MPI_Op_free(&composition), MPI_Type_free(&pair);
}

static void check_parts(void) {
  MPI_Comm part, copy, none;
  int own = -1;
  CHECK_CALL(MPI_Comm_split(MPI_COMM_WORLD, rank % 3, -rank, &part));
  MPI_Comm_rank(part, &own);
  int members = 0;
  for (int i = rank % 3; i < size; i += 3) ++members;
  CHECK_EQUAL(own, members - 1 - rank / 3);
  check_collectives(part);
  CHECK_CALL(MPI_Comm_dup(part, &copy));
  check_collectives(copy);
  MPI_Comm_free(&part);
  check_collectives(copy);
  MPI_Comm_free(&copy);
  CHECK_CALL(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &none));
  CHECK_EQUAL(none == MPI_COMM_NULL, rank == 0);
  if (none != MPI_COMM_NULL) check_collectives(none), MPI_Comm_free(&none);
}

static void check_grid(void) {
  MPI_Comm grid;
  int dims[2] = {0, 0}, periods[2] = {1, 0}, above, below, from[4] = {-9, -9, -9, -9};
  MPI_Dims_create(size, 2, dims);
  CHECK_CALL(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid));
  int own;
  MPI_Comm_rank(grid, &own);
  CHECK_CALL(MPI_Neighbor_allgather(&own, 1, MPI_INT, from, 1, MPI_INT, grid));
  for (int d = 0; d < 2; ++d) {
    MPI_Cart_shift(grid, d, 1, &above, &below);
    CHECK_EQUAL(from[2 * d], above == MPI_PROC_NULL ? -9 : above);
    CHECK_EQUAL(from[2 * d + 1], below == MPI_PROC_NULL ? -9 : below);
  }
  MPI_Comm_free(&grid);
}

/* Ranks may be reordered: each sends what it has got of its graph, and gets what its neighbours say. */
static void check_neighbors(MPI_Comm graph, int weighted) {
  int own, sources, destinations, is_weighted, from[2], to[2], weights_in[2] = {0, 0}, weights_out[2] = {0, 0}, got[2];
  MPI_Comm_rank(graph, &own);
  CHECK_CALL(MPI_Dist_graph_neighbors_count(graph, &sources, &destinations, &is_weighted));
  CHECK_EQUAL(sources, 2);
  CHECK_EQUAL(destinations, 2);
  CHECK_EQUAL(is_weighted, weighted);
  CHECK_CALL(MPI_Dist_graph_neighbors(graph, 2, from, weights_in, 2, to, weights_out));
  CHECK_CALL(MPI_Neighbor_allgather(&own, 1, MPI_INT, got, 1, MPI_INT, graph));
  for (int i = 0; i < 2; ++i) {
    CHECK_EQUAL(got[i], from[i]);
    const int before = (own + size - 1) % size, after = (own + 1) % size;
    CHECK_EQUAL(from[i] == before || from[i] == after, 1);
    CHECK_EQUAL(to[i] == before || to[i] == after, 1);
    if (weighted) CHECK_EQUAL(weights_in[i], from[i] + own), CHECK_EQUAL(weights_out[i], to[i] + own);
  }
}

static void check_graphs(void) {
  const int near[2] = {(rank + size - 1) % size, (rank + 1) % size}, weights[2] = {near[0] + rank, near[1] + rank};
  const int degree = 2;
  MPI_Comm graph;
  for (int reorder = 0; reorder < 2; ++reorder) {
    CHECK_CALL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, near, weights, 2, near, weights, MPI_INFO_NULL,
                                              reorder, &graph));
    check_neighbors(graph, 1), check_collectives(graph), MPI_Comm_free(&graph);
    CHECK_CALL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, near, MPI_UNWEIGHTED, 2, near, MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, reorder, &graph));
    check_neighbors(graph, 0), MPI_Comm_free(&graph);
    CHECK_CALL(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, near, weights, MPI_INFO_NULL, reorder, &graph));
    check_neighbors(graph, 1), MPI_Comm_free(&graph);
  }
}

static void check_two_sides(void) {
  MPI_Comm half, both, copy, merged;
  int others = 0, sum = -1, own = 0;
  if (size < 2) return;
  const int is_low = rank < size / 2;
  MPI_Comm_split(MPI_COMM_WORLD, is_low, rank, &half);
  CHECK_CALL(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_low ? size / 2 : 0, 5, &both));
  MPI_Comm_remote_size(both, &others);
  CHECK_EQUAL(others, is_low ? size - size / 2 : size / 2);
  CHECK_CALL(MPI_Comm_dup(both, &copy));
  CHECK_CALL(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy));
  int expected = 0;
  for (int i = is_low ? size / 2 : 0; i < (is_low ? size : size / 2); ++i) expected += i;
  CHECK_EQUAL(sum, expected);
  CHECK_CALL(MPI_Intercomm_merge(copy, !is_low, &merged));
  MPI_Comm_rank(merged, &own);
  CHECK_EQUAL(own, rank);
  check_collectives(merged);
  MPI_Comm_free(&merged), MPI_Comm_free(&copy), MPI_Comm_free(&both), MPI_Comm_free(&half);
}

/* An unguided split says by which resource, so that a guided one makes the same parts. */
static void check_unguided_split(void) {
  MPI_Info chosen;
  MPI_Comm part, again;
  char resource[MPI_MAX_INFO_VAL + 1];
  int has_resource, relation;
  CHECK_CALL(MPI_Info_create(&chosen));
  CHECK_CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, chosen, &part));
  CHECK_CALL(MPI_Info_get(chosen, "mpi_hw_resource_type", MPI_MAX_INFO_VAL, resource, &has_resource));
  CHECK_EQUAL(has_resource, part != MPI_COMM_NULL);
  if (part != MPI_COMM_NULL) {
    CHECK_CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, chosen, &again));
    CHECK_CALL(MPI_Comm_compare(part, again, &relation));
    CHECK_EQUAL(relation, MPI_CONGRUENT);
    CHECK_CALL(MPI_Comm_free(&again));
    CHECK_CALL(MPI_Comm_free(&part));
  }
  CHECK_CALL(MPI_Info_free(&chosen));
}

int main(void) {
  begin_checks();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check_collectives(MPI_COMM_WORLD);
  check_collectives(MPI_COMM_SELF);
  check_order_of_operands();
  check_parts();
  check_grid();
  check_graphs();
  check_two_sides();
  check_unguided_split();
  return end_checks();
}
