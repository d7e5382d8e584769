#include <doctest/doctest.h>
#include <stretto_mpi/mpi.h>

#include <array>
#include <string>

#include "mpi_binding/test_rank.hpp"

using namespace stretto;

/// Replaces a function, as a tool does.
int MPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  const int result = PMPI_Comm_test_inter(comm, flag);
  *flag += 10;
  return result;
}

namespace {

MPI_Group world_group() {
  MPI_Group group = MPI_GROUP_NULL;
  CHECK(MPI_Comm_group(MPI_COMM_WORLD, &group) == MPI_SUCCESS);
  return group;
}

}  // namespace

TEST_CASE("a program makes groups of groups") {
  test::test_rank rank;
  MPI_Group world = world_group(), chosen, others, both;
  const std::array ranks = {3, 1};
  CHECK(MPI_Group_incl(world, 2, ranks.data(), &chosen) == MPI_SUCCESS);
  int number = -1;
  MPI_Group_size(chosen, &number);
  CHECK(number == 2);
  MPI_Group_rank(chosen, &number);
  CHECK(number == 1);
  CHECK(MPI_Group_difference(world, chosen, &others) == MPI_SUCCESS);
  MPI_Group_rank(others, &number);
  CHECK(number == MPI_UNDEFINED);
  MPI_Group_union(others, chosen, &both);
  MPI_Group_compare(both, world, &number);
  CHECK(number == MPI_SIMILAR);
  std::array translated = {9, 9, 9};
  const std::array all = {0, 3, MPI_PROC_NULL};
  MPI_Group_translate_ranks(world, 3, all.data(), chosen, translated.data());
  CHECK(translated == std::array{MPI_UNDEFINED, 0, MPI_PROC_NULL});
  for (MPI_Group* each : {&world, &chosen, &others, &both}) {
    CHECK(MPI_Group_free(each) == MPI_SUCCESS);
    CHECK(*each == MPI_GROUP_NULL);
  }
}

TEST_CASE("an empty group has the predefined handle") {
  test::test_rank rank;
  MPI_Group world = world_group(), empty;
  CHECK(MPI_Group_incl(world, 0, nullptr, &empty) == MPI_SUCCESS);
  CHECK(empty == MPI_GROUP_EMPTY);
  int ranges[1][3] = {{0, 3, 1}};
  CHECK(MPI_Group_range_excl(world, 1, ranges, &empty) == MPI_SUCCESS);
  CHECK(empty == MPI_GROUP_EMPTY);
  CHECK(MPI_Group_intersection(world, empty, &empty) == MPI_SUCCESS);
  CHECK(empty == MPI_GROUP_EMPTY);
  CHECK(MPI_Group_free(&empty) == MPI_SUCCESS);
  CHECK(empty == MPI_GROUP_NULL);
  MPI_Group_free(&world);
}

TEST_CASE("erroneous arguments of groups have their classes") {
  test::test_rank rank;
  MPI_Group world = world_group(), made = MPI_GROUP_NULL;
  const std::array ranks = {0, 4};
  int number = 0, range[1][3] = {{0, 3, 0}};
  CHECK(MPI_Group_incl(world, 2, ranks.data(), &made) == MPI_ERR_RANK);
  CHECK(MPI_Group_incl(world, -1, ranks.data(), &made) == MPI_ERR_ARG);
  CHECK(MPI_Group_excl(world, 2, nullptr, &made) == MPI_ERR_ARG);
  CHECK(MPI_Group_range_incl(world, 1, range, &made) == MPI_ERR_ARG);
  CHECK(MPI_Group_size(MPI_GROUP_NULL, &number) == MPI_ERR_GROUP);
  CHECK(MPI_Group_size(world, nullptr) == MPI_ERR_ARG);
  CHECK(MPI_Group_free(&made) == MPI_ERR_GROUP);
  CHECK(MPI_Comm_group(MPI_COMM_NULL, &made) == MPI_ERR_COMM);
  CHECK(MPI_Comm_remote_group(MPI_COMM_WORLD, &made) == MPI_ERR_COMM);
  MPI_Group_free(&world);
}

TEST_CASE("communicators say who is in them") {
  test::test_rank rank;
  int number = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  CHECK(number == 1);
  MPI_Comm_size(MPI_COMM_SELF, &number);
  CHECK(number == 1);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &number);
  CHECK(number == MPI_UNEQUAL);
  std::array<char, MPI_MAX_OBJECT_NAME> name;
  MPI_Comm_get_name(MPI_COMM_WORLD, name.data(), &number);
  CHECK(std::string(name.data()) == "MPI_COMM_WORLD");
  CHECK(number == 14);
  MPI_Comm_set_name(MPI_COMM_SELF, "alone");
  MPI_Comm_get_name(MPI_COMM_SELF, name.data(), &number);
  CHECK(std::string(name.data()) == "alone");
}

TEST_CASE("a tool may replace a function by its first name") {
  test::test_rank rank;
  int flag = 0;
  CHECK(MPI_Comm_test_inter(MPI_COMM_WORLD, &flag) == MPI_SUCCESS);
  CHECK(flag == 10);
}

TEST_CASE("functions fail before MPI_Init and after MPI_Finalize") {
  test::test_rank rank;
  int number = 0;
  for (const auto phase : {ranks::rank_phase::starting, ranks::rank_phase::finalized}) {
    rank.state.phase = phase;
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &number) == MPI_ERR_OTHER);
    MPI_Info info;
    CHECK(MPI_Info_create(&info) == MPI_SUCCESS);
    CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
  }
}
