#include <doctest/doctest.h>
#include <stretto_mpi/mpi.h>

#include "mpi_binding/test_rank.hpp"

using namespace stretto;

namespace {

struct deletion {
  MPI_Comm comm = MPI_COMM_NULL;
  void* value = nullptr;
  int number = 0;
};

int record_deletion(MPI_Comm comm, int number, void* value, void* extra) {
  *static_cast<deletion*>(extra) = {comm, value, number};
  return MPI_SUCCESS;
}

int refuse(MPI_Comm, int, void*, void* extra) { return *static_cast<int*>(extra); }

}  // namespace

TEST_CASE("a program caches attributes with communicators") {
  test::test_rank rank;
  deletion last;
  int key = MPI_KEYVAL_INVALID, value = 0, flag = -1;
  CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, record_deletion, &key, &last) == MPI_SUCCESS);
  void* found = nullptr;
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &found, &flag) == MPI_SUCCESS);
  CHECK(flag == 0);
  CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &found, &flag) == MPI_SUCCESS);
  CHECK(flag == 1);
  CHECK(found == &value);
  CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) == MPI_SUCCESS);
  CHECK(last.comm == MPI_COMM_WORLD);
  CHECK(last.value == &value);
  CHECK(last.number == key);
  CHECK(MPI_Comm_free_keyval(&key) == MPI_SUCCESS);
  CHECK(key == MPI_KEYVAL_INVALID);
}

TEST_CASE("a function of a key may refuse, with a code of the program") {
  test::test_rank rank;
  int key = 0, code = MPI_ERR_OTHER, flag = 0;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, refuse, &key, &code);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, nullptr);
  CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &code) == MPI_ERR_OTHER);
  code = 99'999;
  CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) == 99'999);
  void* found = &code;
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &found, &flag);
  CHECK(found == nullptr);
  code = MPI_SUCCESS;
  CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) == MPI_SUCCESS);
}

TEST_CASE("predefined attributes can be read, and not changed") {
  test::test_rank rank;
  int *number = nullptr, flag = 0;
  for (const int key : {MPI_TAG_UB, MPI_IO, MPI_HOST, MPI_WTIME_IS_GLOBAL, MPI_APPNUM, MPI_UNIVERSE_SIZE}) {
    CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &number, &flag) == MPI_SUCCESS);
    CHECK(flag == 1);
  }
  CHECK(*number == 4);
  CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, nullptr) == MPI_ERR_KEYVAL);
  CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB) == MPI_ERR_KEYVAL);
  int key = MPI_TAG_UB;
  CHECK(MPI_Comm_free_keyval(&key) == MPI_ERR_KEYVAL);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &number, &flag) == MPI_ERR_KEYVAL);
}

TEST_CASE("keys are for one kind of objects") {
  test::test_rank rank;
  int of_types = 0, of_windows = 0;
  CHECK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &of_types, nullptr) == MPI_SUCCESS);
  CHECK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &of_windows, nullptr) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, of_types, nullptr) == MPI_ERR_KEYVAL);
  CHECK(MPI_Win_free_keyval(&of_types) == MPI_ERR_KEYVAL);
  CHECK(MPI_Type_free_keyval(&of_types) == MPI_SUCCESS);
  CHECK(MPI_Win_free_keyval(&of_windows) == MPI_SUCCESS);
}
