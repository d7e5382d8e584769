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
