/* status.c - counts and fields of MPI_Status. */
#include <mpi.h>
#include <string.h>

#include "check.h"

static void check_counts(void) {
  MPI_Status status;
  MPI_Datatype mixed, empty;
  const int lengths[] = {1, 2};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype parts[] = {MPI_DOUBLE, MPI_SHORT};
  int count = -1;
  MPI_Type_create_struct(2, lengths, places, parts, &mixed); /* 12 bytes of data: 8, 2, 2 */
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&mixed);
  MPI_Type_commit(&empty);
  for (int elements = 0; elements < 7; ++elements) {
    CHECK_CALL(MPI_Status_set_elements(&status, mixed, elements));
    CHECK_CALL(MPI_Get_elements(&status, mixed, &count));
    CHECK_EQUAL(count, elements);
    CHECK_CALL(MPI_Get_count(&status, mixed, &count));
    CHECK_EQUAL(count, elements % 3 == 0 ? elements / 3 : MPI_UNDEFINED);
  }
  CHECK_CALL(MPI_Status_set_elements(&status, MPI_CHAR, 13));
  CHECK_CALL(MPI_Get_elements(&status, mixed, &count));
  CHECK_EQUAL(count, MPI_UNDEFINED);
  CHECK_CALL(MPI_Get_count(&status, empty, &count));
  CHECK_EQUAL(count, MPI_UNDEFINED);
  CHECK_CALL(MPI_Get_elements(&status, empty, &count));
  CHECK_EQUAL(count, MPI_UNDEFINED);
  CHECK_CALL(MPI_Get_count(&status, MPI_BYTE, &count));
  CHECK_EQUAL(count, 13);
  CHECK_CALL(MPI_Status_set_elements(&status, empty, 0));
  CHECK_CALL(MPI_Get_count(&status, empty, &count));
  CHECK_EQUAL(count, 0);
  CHECK_CLASS(MPI_Status_set_elements(&status, empty, 1), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Status_set_elements(&status, MPI_INT, -1), MPI_ERR_COUNT);
  CHECK_CALL(MPI_Status_set_elements(&status, MPI_DOUBLE_INT, 4));
  CHECK_CALL(MPI_Get_count(&status, MPI_DOUBLE_INT, &count));
  CHECK_EQUAL(count, 2);
  MPI_Type_free(&mixed);
  MPI_Type_free(&empty);
}

static void check_large_counts(void) {
  const MPI_Count many = (MPI_Count)1 << 40;
  MPI_Status status;
  MPI_Count large = 0;
  int count = 0;
  CHECK_CALL(MPI_Status_set_elements_c(&status, MPI_INT, many));
  CHECK_CALL(MPI_Get_count(&status, MPI_INT, &count));
  CHECK_EQUAL(count, MPI_UNDEFINED);
  CHECK_CALL(MPI_Get_elements(&status, MPI_INT, &count));
  CHECK_EQUAL(count, MPI_UNDEFINED);
  CHECK_CALL(MPI_Get_count_c(&status, MPI_INT, &large));
  CHECK_EQUAL(large, many);
  CHECK_CALL(MPI_Get_elements_c(&status, MPI_LONG, &large));
  CHECK_EQUAL(large, many / 2);
  CHECK_CALL(MPI_Status_set_elements_x(&status, MPI_CHAR, many + 1));
  CHECK_CALL(MPI_Get_elements_x(&status, MPI_CHAR, &large));
  CHECK_EQUAL(large, many + 1);
  CHECK_CLASS(MPI_Status_set_elements_c(&status, MPI_DOUBLE, (MPI_Count)1 << 61), MPI_ERR_VALUE_TOO_LARGE);
}

static void check_fields(void) {
  MPI_Status status, copy;
  MPI_Fint fortran[MPI_F_STATUS_SIZE];
  int value = -1;
  CHECK_CALL(MPI_Status_set_source(&status, 3));
  CHECK_CALL(MPI_Status_set_tag(&status, 17));
  CHECK_CALL(MPI_Status_set_error(&status, MPI_ERR_TRUNCATE));
  CHECK_CALL(MPI_Status_set_cancelled(&status, 5));
  CHECK_CALL(MPI_Status_set_elements(&status, MPI_SHORT, 9));
  CHECK_EQUAL(status.MPI_SOURCE, 3);
  CHECK_EQUAL(status.MPI_TAG, 17);
  CHECK_EQUAL(status.MPI_ERROR, MPI_ERR_TRUNCATE);
  CHECK_CALL(MPI_Status_c2f(&status, fortran));
  CHECK_EQUAL(fortran[MPI_F_SOURCE], 3);
  CHECK_EQUAL(fortran[MPI_F_TAG], 17);
  CHECK_EQUAL(fortran[MPI_F_ERROR], MPI_ERR_TRUNCATE);
  memset(&status, 0, sizeof status);
  CHECK_CALL(MPI_Status_f2c(fortran, &copy));
  CHECK_CALL(MPI_Status_get_source(&copy, &value));
  CHECK_EQUAL(value, 3);
  CHECK_CALL(MPI_Status_get_tag(&copy, &value));
  CHECK_EQUAL(value, 17);
  CHECK_CALL(MPI_Status_get_error(&copy, &value));
  CHECK_EQUAL(value, MPI_ERR_TRUNCATE);
  CHECK_CALL(MPI_Test_cancelled(&copy, &value));
  CHECK_EQUAL(value, 1);
  CHECK_CALL(MPI_Get_count(&copy, MPI_SHORT, &value));
  CHECK_EQUAL(value, 9);
  CHECK_CALL(MPI_Status_set_cancelled(&copy, 0));
  CHECK_CALL(MPI_Test_cancelled(&copy, &value));
  CHECK_EQUAL(value, 0);
  CHECK_CLASS(MPI_Status_c2f(&copy, MPI_F_STATUS_IGNORE), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Test_cancelled(MPI_STATUS_IGNORE, &value), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Get_count(MPI_STATUS_IGNORE, MPI_INT, &value), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Get_count(&copy, MPI_DATATYPE_NULL, &value), MPI_ERR_TYPE);
}

int main(void) {
  begin_checks();
  check_counts();
  check_large_counts();
  check_fields();
  return end_checks();
}
