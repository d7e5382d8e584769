#include <doctest/doctest.h>
#include <stretto_mpi/mpi.h>

#include "mpi_binding/test_rank.hpp"

using namespace stretto;

TEST_CASE("handles become integers and handles again") {
  test::test_rank rank;
  CHECK(MPI_Comm_toint(MPI_COMM_WORLD) == 0x101);
  CHECK(MPI_Comm_f2c(0x101) == MPI_COMM_WORLD);
  CHECK(MPI_Type_fromint(MPI_Type_toint(MPI_DOUBLE)) == MPI_DOUBLE);
  MPI_Info one, two;
  MPI_Info_create(&one);
  MPI_Info_create(&two);
  CHECK(MPI_Info_c2f(one) != MPI_Info_c2f(two));
  CHECK(MPI_Info_c2f(one) == MPI_Info_toint(one));
  CHECK(MPI_Info_fromint(MPI_Info_c2f(two)) == two);
  CHECK(MPI_Info_f2c(123'456) == MPI_INFO_NULL);
  CHECK(MPI_Op_f2c(-1) == MPI_OP_NULL);
  MPI_Info_free(&one);
  MPI_Info_free(&two);
}

TEST_CASE("statuses keep their fields in Fortran") {
  test::test_rank rank;
  const MPI_Status status = {3, 5, MPI_ERR_TAG, {1, 2, 3, 4, 5}};
  MPI_Status back = {};
  MPI_Fint fields[MPI_F_STATUS_SIZE];
  CHECK(MPI_Status_c2f(&status, fields) == MPI_SUCCESS);
  CHECK(fields[MPI_F_SOURCE] == 3);
  CHECK(fields[MPI_F_TAG] == 5);
  CHECK(fields[MPI_F_ERROR] == MPI_ERR_TAG);
  CHECK(MPI_Status_f2c(fields, &back) == MPI_SUCCESS);
  CHECK(back.MPI_internal[4] == 5);
  CHECK(MPI_Status_c2f(nullptr, fields) == MPI_ERR_ARG);
}
