#include <doctest/doctest.h>
#include <stretto_mpi/mpi.h>

#include <array>
#include <string>

#include "mpi_binding/test_rank.hpp"

using namespace stretto;

TEST_CASE("values of an info are cut off where the program has no more place") {
  test::test_rank rank;
  MPI_Info info;
  MPI_Info_create(&info);
  CHECK(MPI_Info_set(info, "file", "runs.txt") == MPI_SUCCESS);
  std::array<char, 16> value = {'x'};
  int flag = -1, length = 0;
  CHECK(MPI_Info_get_string(info, "file", &length, value.data(), &flag) == MPI_SUCCESS);
  CHECK(flag == 1);
  CHECK(length == 9);
  CHECK(value[0] == 'x');
  length = 3;
  MPI_Info_get_string(info, "file", &length, value.data(), &flag);
  CHECK(std::string(value.data()) == "ru");
  CHECK(length == 9);
  MPI_Info_get(info, "file", 4, value.data(), &flag);
  CHECK(std::string(value.data()) == "runs");
  MPI_Info_get_string(info, "absent", &length, value.data(), &flag);
  CHECK(flag == 0);
  CHECK(length == 9);
  MPI_Info_get_valuelen(info, "file", &length, &flag);
  CHECK(length == 8);
  MPI_Info_free(&info);
  CHECK(info == MPI_INFO_NULL);
}

TEST_CASE("an info is copied, listed and changed") {
  test::test_rank rank;
  MPI_Info info, copy;
  MPI_Info_create(&info);
  MPI_Info_set(info, "b", "1");
  MPI_Info_set(info, "a", "2");
  MPI_Info_dup(info, &copy);
  MPI_Info_delete(copy, "b");
  int count = 0;
  MPI_Info_get_nkeys(info, &count);
  CHECK(count == 2);
  std::array<char, MPI_MAX_INFO_KEY> key;
  MPI_Info_get_nthkey(copy, 0, key.data());
  CHECK(std::string(key.data()) == "a");
  CHECK(MPI_Info_get_nthkey(copy, 1, key.data()) == MPI_ERR_ARG);
  CHECK(MPI_Info_delete(copy, "b") == MPI_ERR_INFO_NOKEY);
  CHECK(MPI_Info_set(copy, "", "1") == MPI_ERR_INFO_KEY);
  CHECK(MPI_Info_set(MPI_INFO_NULL, "a", "1") == MPI_ERR_INFO);
  MPI_Info_free(&info);
  MPI_Info_free(&copy);
}

TEST_CASE("the environment can be read, and not changed") {
  test::test_rank rank;
  rank.state.environment.set("command", "./heat");
  std::array<char, 16> value;
  int flag = 0;
  CHECK(MPI_Info_get(MPI_INFO_ENV, "command", 15, value.data(), &flag) == MPI_SUCCESS);
  CHECK(std::string(value.data()) == "./heat");
  CHECK(MPI_Info_set(MPI_INFO_ENV, "command", "x") == MPI_ERR_INFO);
  MPI_Info info = MPI_INFO_ENV;
  CHECK(MPI_Info_free(&info) == MPI_ERR_INFO);
  CHECK(MPI_Info_create_env(0, nullptr, &info) == MPI_SUCCESS);
  MPI_Info_free(&info);
}

TEST_CASE("communicators keep the hints that are known") {
  test::test_rank rank;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  MPI_Info_set(info, "unknown", "true");
  CHECK(MPI_Comm_set_info(MPI_COMM_WORLD, info) == MPI_SUCCESS);
  MPI_Info_free(&info);
  CHECK(MPI_Comm_get_info(MPI_COMM_WORLD, &info) == MPI_SUCCESS);
  int count = 0;
  MPI_Info_get_nkeys(info, &count);
  CHECK(count == 1);
  MPI_Info_free(&info);
  CHECK(MPI_Comm_set_info(MPI_COMM_WORLD, MPI_INFO_NULL) == MPI_ERR_INFO);
}
