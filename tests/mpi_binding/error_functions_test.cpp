#include <doctest/doctest.h>
#include <stretto_mpi/mpi.h>

#include <array>
#include <string>

#include "mpi_binding/test_rank.hpp"

using namespace stretto;

namespace {

struct handler_call {
  MPI_Comm comm = MPI_COMM_NULL;
  int code = 0;
};

handler_call last_call;

void record(MPI_Comm* comm, int* code, ...) {
  last_call = {*comm, *code};
  *code = MPI_ERR_UNKNOWN;
}

void ignore(MPI_Win*, int*, ...) {}

std::string text_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text;
  int length = 0;
  CHECK(MPI_Error_string(code, text.data(), &length) == MPI_SUCCESS);
  CHECK(std::string(text.data()).size() == static_cast<std::size_t>(length));
  return text.data();
}

}  // namespace

TEST_CASE("an erroneous call calls the program's handler and returns its code") {
  test::test_rank rank;
  MPI_Errhandler handler, found;
  CHECK(MPI_Comm_create_errhandler(record, &handler) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler) == MPI_SUCCESS);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
  CHECK(found == handler);
  MPI_Errhandler_free(&found);
  MPI_Errhandler_free(&handler);
  CHECK(handler == MPI_ERRHANDLER_NULL);
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, nullptr) == MPI_ERR_UNKNOWN);
  CHECK(last_call.comm == MPI_COMM_WORLD);
  CHECK(last_call.code == MPI_ERR_ARG);
  CHECK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_DIMS) == MPI_SUCCESS);
  CHECK(last_call.code == MPI_ERR_DIMS);
}

TEST_CASE("a fatal error ends the ranks with a message that says why") {
  test::test_rank rank;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group_incl(MPI_GROUP_NULL, 0, nullptr, &group);
  REQUIRE(rank.ends.size() == 1);
  CHECK(rank.ends[0].code == MPI_ERR_GROUP);
  CHECK(rank.ends[0].reaction == ranks::error_reaction::fatal);
  CHECK(rank.ends[0].message ==
        "error R90: MPI_Group_incl failed in rank 1\n"
        "  call        MPI_Group_incl\n"
        "  class       MPI_ERR_GROUP: the group is null or was freed\n"
        "  because     the group is MPI_GROUP_NULL\n"
        "  try         MPI_Comm_set_errhandler with MPI_ERRORS_RETURN gives the error as the function's result\n");
}

TEST_CASE("errors without a communicator go to MPI_COMM_SELF if the program set its handler") {
  test::test_rank rank;
  int size = 0;
  CHECK(MPI_Group_size(MPI_GROUP_NULL, &size) == MPI_ERR_GROUP);  // only that of the world is set
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ABORT);
  MPI_Group_size(MPI_GROUP_NULL, &size);
  REQUIRE(rank.ends.size() == 1);
  CHECK(rank.ends[0].reaction == ranks::error_reaction::abort);
  CHECK(rank.ends[0].ranks == &rank.state.self);
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, nullptr) == MPI_ERR_ARG);
}

TEST_CASE("handlers are predefined, or for one kind of objects") {
  test::test_rank rank;
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  CHECK(handler == MPI_ERRORS_RETURN);
  CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS);
  CHECK(MPI_Errhandler_free(&handler) == MPI_ERR_ERRHANDLER);
  MPI_Win_create_errhandler(ignore, &handler);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler) == MPI_ERR_ERRHANDLER);
  CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS);
  CHECK(MPI_Comm_create_errhandler(nullptr, &handler) == MPI_ERR_ARG);
}

TEST_CASE("programs add error codes of their own") {
  test::test_rank rank;
  int own = 0, code = 0, found = 0;
  CHECK(MPI_Add_error_class(&own) == MPI_SUCCESS);
  CHECK(MPI_Add_error_code(own, &code) == MPI_SUCCESS);
  CHECK(MPI_Add_error_string(code, "the pump is dry") == MPI_SUCCESS);
  CHECK(text_of(code) == "the pump is dry");
  MPI_Error_class(code, &found);
  CHECK(found == own);
  int *last = nullptr, flag = 0;
  CHECK(MPI_Comm_get_attr(MPI_COMM_SELF, MPI_LASTUSEDCODE, &last, &flag) == MPI_SUCCESS);
  CHECK(*last == code);
  CHECK(MPI_Remove_error_class(own) == MPI_ERR_ARG);
  CHECK(MPI_Remove_error_string(code) == MPI_SUCCESS);
  CHECK(MPI_Remove_error_code(code) == MPI_SUCCESS);
  CHECK(MPI_Remove_error_class(own) == MPI_SUCCESS);
  CHECK(text_of(MPI_ERR_TRUNCATE) == "MPI_ERR_TRUNCATE: the message is longer than the receive buffer");
  CHECK(MPI_Add_error_string(MPI_ERR_TRUNCATE, "x") == MPI_ERR_ARG);
}
