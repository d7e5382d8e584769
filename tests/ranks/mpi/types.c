/* types.c - constructors of datatypes: sizes and extents, and the arguments that a type returns. */
#include <mpi.h>
#include <stddef.h>

#include "check.h"

struct particle {
  double position[3];
  char kind;
  int number;
};

static void check_layout(MPI_Datatype type, int size, MPI_Aint lb, MPI_Aint extent, MPI_Aint true_lb,
                         MPI_Aint true_extent) {
  int found_size;
  MPI_Aint found_lb, found_extent;
  CHECK_CALL(MPI_Type_size(type, &found_size));
  CHECK_EQUAL(found_size, size);
  CHECK_CALL(MPI_Type_get_extent(type, &found_lb, &found_extent));
  CHECK_EQUAL(found_lb, lb);
  CHECK_EQUAL(found_extent, extent);
  CHECK_CALL(MPI_Type_get_true_extent(type, &found_lb, &found_extent));
  CHECK_EQUAL(found_lb, true_lb);
  CHECK_EQUAL(found_extent, true_extent);
}

static void check_envelope(MPI_Datatype type, int combiner, int integers, int addresses, int types) {
  int found_integers, found_addresses, found_types, found_combiner;
  CHECK_CALL(MPI_Type_get_envelope(type, &found_integers, &found_addresses, &found_types, &found_combiner));
  CHECK_EQUAL(found_combiner, combiner);
  CHECK_EQUAL(found_integers, integers);
  CHECK_EQUAL(found_addresses, addresses);
  CHECK_EQUAL(found_types, types);
}

static void free_checked(MPI_Datatype* type) {
  CHECK_CALL(MPI_Type_free(type));
  CHECK(*type == MPI_DATATYPE_NULL);
}

static void check_regular_types(void) {
  MPI_Datatype type, outer;
  CHECK_CALL(MPI_Type_contiguous(5, MPI_INT, &type));
  check_layout(type, 20, 0, 20, 0, 20);
  check_envelope(type, MPI_COMBINER_CONTIGUOUS, 1, 0, 1);
  CHECK_CALL(MPI_Type_vector(3, 2, 4, type, &outer));
  check_layout(outer, 120, 0, 200, 0, 200);
  check_envelope(outer, MPI_COMBINER_VECTOR, 3, 0, 1);
  free_checked(&outer);
  CHECK_CALL(MPI_Type_create_hvector(2, 1, -100, type, &outer));
  check_layout(outer, 40, -100, 120, -100, 120);
  check_envelope(outer, MPI_COMBINER_HVECTOR, 2, 1, 1);
  free_checked(&type);
  /* the outer type keeps what it consists of */
  check_layout(outer, 40, -100, 120, -100, 120);
  free_checked(&outer);
  CHECK_CALL(MPI_Type_create_resized(MPI_SHORT, -2, 16, &type));
  check_layout(type, 2, -2, 16, 0, 2);
  check_envelope(type, MPI_COMBINER_RESIZED, 0, 2, 1);
  free_checked(&type);
}

static void check_listed_types(void) {
  const int lengths[] = {2, 1}, places[] = {4, 0};
  const MPI_Aint byte_places[] = {16, 0};
  MPI_Datatype type;
  CHECK_CALL(MPI_Type_indexed(2, lengths, places, MPI_INT, &type));
  check_layout(type, 12, 0, 24, 0, 24);
  check_envelope(type, MPI_COMBINER_INDEXED, 5, 0, 1);
  free_checked(&type);
  CHECK_CALL(MPI_Type_create_hindexed(2, lengths, byte_places, MPI_INT, &type));
  check_layout(type, 12, 0, 24, 0, 24);
  check_envelope(type, MPI_COMBINER_HINDEXED, 3, 2, 1);
  free_checked(&type);
  CHECK_CALL(MPI_Type_create_indexed_block(2, 2, places, MPI_INT, &type));
  check_layout(type, 16, 0, 24, 0, 24);
  check_envelope(type, MPI_COMBINER_INDEXED_BLOCK, 4, 0, 1);
  free_checked(&type);
  CHECK_CALL(MPI_Type_create_hindexed_block(2, 2, byte_places, MPI_INT, &type));
  check_layout(type, 16, 0, 24, 0, 24);
  check_envelope(type, MPI_COMBINER_HINDEXED_BLOCK, 2, 2, 1);
  free_checked(&type);
}

static void check_structure(void) {
  const int lengths[] = {3, 1, 1};
  const MPI_Aint places[] = {offsetof(struct particle, position), offsetof(struct particle, kind),
                             offsetof(struct particle, number)};
  const MPI_Datatype parts[] = {MPI_DOUBLE, MPI_CHAR, MPI_INT};
  MPI_Datatype type, found[3];
  int integers[4];
  MPI_Aint addresses[3];
  CHECK_CALL(MPI_Type_create_struct(3, lengths, places, parts, &type));
  check_layout(type, 29, 0, sizeof(struct particle), 0, sizeof(struct particle));
  check_envelope(type, MPI_COMBINER_STRUCT, 4, 3, 3);
  CHECK_CALL(MPI_Type_get_contents(type, 4, 3, 3, integers, addresses, found));
  CHECK_EQUAL(integers[0], 3);
  for (int i = 0; i < 3; ++i) {
    CHECK_EQUAL(integers[i + 1], lengths[i]);
    CHECK_EQUAL(addresses[i], places[i]);
    CHECK(found[i] == parts[i]);
  }
  CHECK_CLASS(MPI_Type_get_contents(type, 3, 3, 3, integers, addresses, found), MPI_ERR_ARG);
  free_checked(&type);
}

static void check_arrays(void) {
  const int sizes[] = {4, 6}, parts[] = {2, 3}, starts[] = {1, 2};
  MPI_Datatype type;
  int integers[8], order;
  CHECK_CALL(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type));
  check_layout(type, 24, 0, 96, 32, 36);
  check_envelope(type, MPI_COMBINER_SUBARRAY, 8, 0, 1);
  MPI_Datatype inner;
  CHECK_CALL(MPI_Type_get_contents(type, 8, 0, 1, integers, NULL, &inner));
  order = integers[7];
  CHECK_EQUAL(order, MPI_ORDER_C);
  CHECK(inner == MPI_INT);
  free_checked(&type);

  const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 2};
  CHECK_CALL(MPI_Type_create_darray(4, 3, 2, sizes, kinds, arguments, grid, MPI_ORDER_C, MPI_INT, &type));
  /* rows 2 and 3, columns 1, 3 and 5 */
  check_layout(type, 24, 0, 96, 52, 44);
  check_envelope(type, MPI_COMBINER_DARRAY, 12, 0, 1);
  free_checked(&type);
  CHECK_CLASS(MPI_Type_create_subarray(0, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Type_create_subarray(2, parts, sizes, starts, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Type_create_darray(5, 3, 2, sizes, kinds, arguments, grid, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
}

static void check_large_counts(void) {
  const MPI_Count many = (MPI_Count)1 << 33;
  MPI_Datatype type, inner;
  int size, combiner, integers[1];
  MPI_Count large_size, numbers[4], counts[3];
  CHECK_CALL(MPI_Type_vector_c(many, 1, 2, MPI_INT, &type));
  CHECK_CALL(MPI_Type_size(type, &size));
  CHECK_EQUAL(size, MPI_UNDEFINED);
  CHECK_CALL(MPI_Type_size_c(type, &large_size));
  CHECK_EQUAL(large_size, 4 * many);
  CHECK_CALL(MPI_Type_size_x(type, &large_size));
  CHECK_EQUAL(large_size, 4 * many);
  CHECK_CALL(MPI_Type_get_extent_x(type, &numbers[0], &numbers[1]));
  CHECK_EQUAL(numbers[1], 8 * many - 4);
  CHECK_CALL(MPI_Type_get_envelope_c(type, &numbers[0], &numbers[1], &numbers[2], &numbers[3], &combiner));
  CHECK_EQUAL(numbers[0], 0);
  CHECK_EQUAL(numbers[1], 0);
  CHECK_EQUAL(numbers[2], 3);
  CHECK_EQUAL(numbers[3], 1);
  CHECK_EQUAL(combiner, MPI_COMBINER_VECTOR);
  CHECK_CLASS(MPI_Type_get_envelope(type, &size, &size, &size, &combiner), MPI_ERR_TYPE);
  CHECK_CALL(MPI_Type_get_contents_c(type, 0, 0, 3, 1, integers, NULL, counts, &inner));
  CHECK_EQUAL(counts[0], many);
  CHECK(inner == MPI_INT);
  free_checked(&type);
}

/* The types that MPI_Type_get_contents returns are objects of their own. */
static void check_returned_types(void) {
  MPI_Datatype inner, outer, first, second;
  int count;
  MPI_Type_vector(2, 1, 3, MPI_INT, &inner);
  MPI_Type_contiguous(7, inner, &outer);
  CHECK_CALL(MPI_Type_get_contents(outer, 1, 0, 1, &count, NULL, &first));
  CHECK_CALL(MPI_Type_get_contents(outer, 1, 0, 1, &count, NULL, &second));
  CHECK_EQUAL(count, 7);
  CHECK(first != second && first != inner);
  check_envelope(first, MPI_COMBINER_VECTOR, 3, 0, 1);
  check_layout(first, 8, 0, 16, 0, 16);
  free_checked(&first);
  free_checked(&inner);
  free_checked(&outer);
  check_layout(second, 8, 0, 16, 0, 16);
  free_checked(&second);
  MPI_Type_create_resized(MPI_INT, -4, 20, &inner);
  MPI_Type_dup(inner, &outer);
  CHECK_CALL(MPI_Type_get_contents(outer, 0, 0, 1, NULL, NULL, &first));
  check_layout(first, 4, -4, 20, 0, 4);
  free_checked(&first);
  free_checked(&inner);
  check_envelope(outer, MPI_COMBINER_DUP, 0, 0, 1);
  check_layout(outer, 4, -4, 20, 0, 4);
  free_checked(&outer);
}

static void check_types_by_properties(void) {
  MPI_Datatype type, again, found;
  int size, integers[2];
  CHECK_CALL(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type));
  CHECK_CALL(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &again));
  CHECK(type == again);
  check_envelope(type, MPI_COMBINER_F90_REAL, 2, 0, 0);
  CHECK_CALL(MPI_Type_get_contents(type, 2, 0, 0, integers, NULL, NULL));
  CHECK_EQUAL(integers[0], 15);
  CHECK_EQUAL(integers[1], MPI_UNDEFINED);
  CHECK_CLASS(MPI_Type_free(&again), MPI_ERR_TYPE);
  CHECK_CALL(MPI_Type_contiguous(2, type, &again));
  CHECK_CALL(MPI_Type_get_contents(again, 1, 0, 1, integers, NULL, &found));
  CHECK(found == type);
  free_checked(&again);
  CHECK_CALL(MPI_Type_create_f90_complex(6, 30, &type));
  MPI_Type_size(type, &size);
  CHECK_EQUAL(size, 8);
  CHECK_CALL(MPI_Type_create_f90_integer(9, &type));
  check_envelope(type, MPI_COMBINER_F90_INTEGER, 1, 0, 0);
  CHECK_CLASS(MPI_Type_create_f90_integer(99, &type), MPI_ERR_ARG);

  CHECK_CALL(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type));
  CHECK(type == MPI_REAL8);
  CHECK_CALL(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &type));
  CHECK(type == MPI_INTEGER2);
  CHECK_CALL(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &type));
  CHECK(type == MPI_COMPLEX8);
  CHECK_CLASS(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Type_match_size(7, 4, &type), MPI_ERR_ARG);
  CHECK_CALL(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type));
  CHECK(type == MPI_DOUBLE_INT);
  CHECK_CALL(MPI_Type_get_value_index(MPI_DOUBLE, MPI_LONG, &type));
  CHECK(type == MPI_DATATYPE_NULL);
}

static void check_errors(void) {
  const int lengths[] = {1, -1}, places[] = {0, 1};
  const MPI_Aint byte_places[] = {0, 4};
  const MPI_Datatype parts[] = {MPI_INT, MPI_DATATYPE_NULL};
  MPI_Datatype type = MPI_INT;
  int number;
  CHECK_CLASS(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_contiguous(1, MPI_INT, NULL), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Type_indexed(-1, lengths, places, MPI_INT, &type), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Type_indexed(2, lengths, places, MPI_INT, &type), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Type_indexed(2, NULL, places, MPI_INT, &type), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Type_create_struct(2, places, byte_places, parts, &type), MPI_ERR_TYPE);
  CHECK(type == MPI_INT);
  CHECK_CLASS(MPI_Type_free(&type), MPI_ERR_TYPE);
  CHECK_CALL(MPI_Type_commit(&type));
  type = MPI_DATATYPE_NULL;
  CHECK_CLASS(MPI_Type_commit(&type), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_free(&type), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_size(MPI_INT, NULL), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Type_size((MPI_Datatype)MPI_COMM_WORLD, &number), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_get_contents(MPI_INT, 0, 0, 0, NULL, NULL, NULL), MPI_ERR_TYPE);
  check_envelope(MPI_DOUBLE_INT, MPI_COMBINER_NAMED, 0, 0, 0);
  CHECK_CALL(MPI_Type_indexed(0, NULL, NULL, MPI_INT, &type));
  check_layout(type, 0, 0, 0, 0, 0);
  free_checked(&type);
}

static void check_addresses(void) {
  struct particle particles[2] = {{{0}, 0, 0}};
  MPI_Aint first, second;
  CHECK_CALL(MPI_Get_address(&particles[0], &first));
  CHECK_CALL(MPI_Get_address(&particles[1].number, &second));
  CHECK_EQUAL(MPI_Aint_diff(second, first), sizeof(struct particle) + offsetof(struct particle, number));
  CHECK_EQUAL(MPI_Aint_add(first, MPI_Aint_diff(second, first)), second);
  CHECK_EQUAL(MPI_Aint_diff(first, second), -MPI_Aint_diff(second, first));
  CHECK_CALL(MPI_Get_address(MPI_BOTTOM, &first));
  CHECK_EQUAL(first, 0);
}

int main(void) {
  begin_checks();
  check_regular_types();
  check_listed_types();
  check_structure();
  check_arrays();
  check_large_counts();
  check_returned_types();
  check_types_by_properties();
  check_errors();
  check_addresses();
  return end_checks();
}
