/* operators.c - operations of MPI and of the program, on the rank's own data. */
#include <mpi.h>

#include "check.h"

static int calls;
static MPI_Datatype last_type;

/* Not commutative: what is on the left counts twice. */
static void twice_left(void* in, void* inout, int* count, MPI_Datatype* type) {
  const int* left = in;
  int* right = inout;
  for (int i = 0; i < *count; ++i) right[i] += 2 * left[i];
  ++calls;
  last_type = *type;
}

static void larger_pair(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
  const int(*left)[2] = in;
  int(*right)[2] = inout;
  for (MPI_Count i = 0; i < *count; ++i) {
    for (int k = 0; k < 2; ++k) right[i][k] = left[i][k] > right[i][k] ? left[i][k] : right[i][k];
  }
  last_type = *type;
}

static void check_predefined(void) {
  const int left[] = {6, 5, 0};
  const double real[] = {1.5, 2};
  const struct {
    double value;
    int index;
  } located = {3, 4};
  int right[] = {3, 5, 7};
  double sum[] = {1, 1};
  CHECK_CALL(MPI_Reduce_local(left, right, 3, MPI_INT, MPI_BAND));
  CHECK_EQUAL(right[0], 2);
  CHECK_EQUAL(right[1], 5);
  CHECK_EQUAL(right[2], 0);
  CHECK_CALL(MPI_Reduce_local_c(real, sum, 2, MPI_DOUBLE, MPI_SUM));
  CHECK(sum[0] == 2.5 && sum[1] == 3);
  struct {
    double value;
    int index;
  } best = {3, 9};
  CHECK_CALL(MPI_Reduce_local(&located, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC));
  CHECK_EQUAL(best.index, 4);
  CHECK_CLASS(MPI_Reduce_local(real, sum, 2, MPI_DOUBLE, MPI_BOR), MPI_ERR_OP);
  CHECK_CLASS(MPI_Reduce_local(left, right, 3, MPI_INT, MPI_MINLOC), MPI_ERR_OP);
}

static void check_program_operations(void) {
  const int left[] = {1, 2, 3, 4};
  int right[] = {10, 0, 30, 5}, commutes = -1;
  MPI_Op op, large;
  MPI_Datatype pair;
  CHECK_CALL(MPI_Op_create(twice_left, 0, &op));
  CHECK_CALL(MPI_Op_create_c(larger_pair, 1, &large));
  CHECK_CALL(MPI_Op_commutative(op, &commutes));
  CHECK_EQUAL(commutes, 0);
  CHECK_CALL(MPI_Op_commutative(large, &commutes));
  CHECK_EQUAL(commutes, 1);
  CHECK_CALL(MPI_Op_commutative(MPI_SUM, &commutes));
  CHECK_EQUAL(commutes, 1);
  CHECK_CALL(MPI_Reduce_local(left, right, 4, MPI_INT, op));
  CHECK_EQUAL(right[0], 12);
  CHECK_EQUAL(right[3], 13);
  CHECK_EQUAL(calls, 1);
  CHECK(last_type == MPI_INT);
  CHECK_CALL(MPI_Reduce_local(NULL, NULL, 0, MPI_INT, op));
  CHECK_EQUAL(calls, 1);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  CHECK_CLASS(MPI_Reduce_local_c(left, right, 2, pair, large), MPI_ERR_TYPE);
  MPI_Type_commit(&pair);
  right[1] = -9;
  CHECK_CALL(MPI_Reduce_local_c(left, right, 2, pair, large));
  CHECK_EQUAL(right[0], 12);
  CHECK_EQUAL(right[1], 2);
  CHECK(last_type == pair);
  CHECK_CLASS(MPI_Reduce_local(left, right, 2, pair, MPI_SUM), MPI_ERR_OP);
  MPI_Type_free(&pair);
  CHECK_CALL(MPI_Op_free(&op));
  CHECK(op == MPI_OP_NULL);
  CHECK_CALL(MPI_Op_free(&large));
}

static void check_errors(void) {
  int left = 1, right = 2, commutes = 0;
  MPI_Op op = MPI_OP_NULL;
  CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
  op = MPI_SUM;
  CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
  CHECK_CLASS(MPI_Op_create(NULL, 1, &op), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Op_create(twice_left, 1, NULL), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Op_commutative(MPI_OP_NULL, &commutes), MPI_ERR_OP);
  CHECK_CLASS(MPI_Reduce_local(&left, &right, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Reduce_local(&left, &right, 1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Reduce_local(&left, &right, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
  CHECK_CLASS(MPI_Reduce_local(&left, &right, 1, MPI_INT, MPI_REPLACE), MPI_ERR_OP);
  CHECK_CLASS(MPI_Reduce_local(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Reduce_local(&left, NULL, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Reduce_local(&right, &right, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  CHECK_EQUAL(right, 2);
}

int main(void) {
  begin_checks();
  check_predefined();
  check_program_operations();
  check_errors();
  return end_checks();
}
