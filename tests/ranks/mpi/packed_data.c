/* packed_data.c - MPI_Pack, MPI_Unpack and the portable representation external32. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void check_packing(void) {
  int matrix[4][4], column[4] = {0}, number = 0;
  char buffer[32];
  MPI_Datatype type;
  for (int i = 0; i < 16; ++i) matrix[i / 4][i % 4] = i;
  MPI_Type_vector(4, 1, 4, MPI_INT, &type);
  int position = 0, size = 0;
  CHECK_CLASS(MPI_Pack(&matrix[0][1], 1, type, buffer, sizeof buffer, &position, MPI_COMM_WORLD), MPI_ERR_TYPE);
  MPI_Type_commit(&type);
  CHECK_CALL(MPI_Pack_size(1, type, MPI_COMM_WORLD, &size));
  CHECK(size >= 16);
  CHECK_CALL(MPI_Pack(&matrix[0][1], 1, type, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
  number = 77;
  CHECK_CALL(MPI_Pack(&number, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
  const int end = position;
  CHECK_CLASS(MPI_Pack(matrix, 4, MPI_INT, buffer, end + 3, &position, MPI_COMM_WORLD), MPI_ERR_TRUNCATE);
  CHECK_EQUAL(position, end);
  position = number = 0;
  CHECK_CALL(MPI_Unpack(buffer, end, &position, column, 4, MPI_INT, MPI_COMM_WORLD));
  CHECK_CALL(MPI_Unpack(buffer, end, &position, &number, 1, MPI_INT, MPI_COMM_WORLD));
  for (int i = 0; i < 4; ++i) CHECK_EQUAL(column[i], 4 * i + 1);
  CHECK_EQUAL(number, 77);
  CHECK_EQUAL(position, end);
  CHECK_CLASS(MPI_Unpack(buffer, end, &position, &number, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TRUNCATE);
  MPI_Type_free(&type);
}

/* Addresses within the type, and MPI_BOTTOM as buffer. */
static void check_absolute_addresses(void) {
  int first = 5, second = 6, lengths[] = {1, 1}, unpacked[2];
  MPI_Aint addresses[2];
  MPI_Datatype type;
  char buffer[8];
  MPI_Get_address(&first, &addresses[0]);
  MPI_Get_address(&second, &addresses[1]);
  MPI_Type_create_hindexed(2, lengths, addresses, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Count position = 0;
  CHECK_CALL(MPI_Pack_c(MPI_BOTTOM, 1, type, buffer, sizeof buffer, &position, MPI_COMM_SELF));
  CHECK_EQUAL(position, 8);
  position = 0;
  CHECK_CALL(MPI_Unpack_c(buffer, sizeof buffer, &position, unpacked, 2, MPI_INT, MPI_COMM_SELF));
  CHECK_EQUAL(unpacked[0], 5);
  CHECK_EQUAL(unpacked[1], 6);
  MPI_Type_free(&type);
}

static void check_external(void) {
  const unsigned char expected[] = {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe, 0x3f, 0x80, 0, 0};
  const long numbers[] = {1, -2};
  const float one = 1;
  unsigned char buffer[12];
  long read[2] = {0, 0};
  MPI_Aint position = 0, size = 0;
  CHECK_CALL(MPI_Pack_external_size("external32", 2, MPI_LONG, &size));
  CHECK_EQUAL(size, 8);
  CHECK_CALL(MPI_Pack_external("external32", numbers, 2, MPI_LONG, buffer, sizeof buffer, &position));
  CHECK_CALL(MPI_Pack_external("external32", &one, 1, MPI_FLOAT, buffer, sizeof buffer, &position));
  CHECK_EQUAL(position, 12);
  CHECK(memcmp(buffer, expected, sizeof buffer) == 0);
  MPI_Count large_position = 0, large_size = 0;
  CHECK_CALL(MPI_Unpack_external_c("external32", buffer, sizeof buffer, &large_position, read, 2, MPI_LONG));
  CHECK_EQUAL(read[0], 1);
  CHECK_EQUAL(read[1], -2);
  CHECK_EQUAL(large_position, 8);
  CHECK_CALL(MPI_Pack_external_size_c("external32", 3, MPI_FLOAT_INT, &large_size));
  CHECK_EQUAL(large_size, 24);
  const long large = 1L << 40;
  position = 0;
  CHECK_CLASS(MPI_Pack_external("external32", &large, 1, MPI_LONG, buffer, sizeof buffer, &position),
              MPI_ERR_CONVERSION);
  CHECK_EQUAL(position, 0);
  CHECK_CLASS(MPI_Pack_external("external64", &large, 1, MPI_LONG, buffer, sizeof buffer, &position), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Unpack_external("external32", buffer, 7, &position, read, 2, MPI_LONG), MPI_ERR_TRUNCATE);
}

static void check_errors(void) {
  int number = 0, position = 0, size = 0;
  char buffer[8];
  CHECK_CLASS(MPI_Pack(NULL, 1, MPI_INT, buffer, 8, &position, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Pack(MPI_IN_PLACE, 1, MPI_INT, buffer, 8, &position, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Pack(&number, -1, MPI_INT, buffer, 8, &position, MPI_COMM_WORLD), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Pack(&number, 1, MPI_DATATYPE_NULL, buffer, 8, &position, MPI_COMM_WORLD), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Pack(&number, 1, MPI_INT, NULL, 8, &position, MPI_COMM_WORLD), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Pack(&number, 1, MPI_INT, buffer, -8, &position, MPI_COMM_WORLD), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Pack(&number, 1, MPI_INT, buffer, 8, NULL, MPI_COMM_WORLD), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Pack(&number, 1, MPI_INT, buffer, 8, &position, MPI_COMM_NULL), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Pack_size(-1, MPI_INT, MPI_COMM_WORLD, &size), MPI_ERR_COUNT);
  CHECK_CALL(MPI_Pack_size(1 << 30, MPI_DOUBLE, MPI_COMM_WORLD, &size));
  CHECK_EQUAL(size, MPI_UNDEFINED);
  MPI_Count large_size;
  CHECK_CALL(MPI_Pack_size_c(1 << 30, MPI_DOUBLE, MPI_COMM_WORLD, &large_size));
  CHECK_EQUAL(large_size, (MPI_Count)1 << 33);
  CHECK_CALL(MPI_Pack(NULL, 0, MPI_INT, NULL, 0, &position, MPI_COMM_WORLD));
  position = -1;
  CHECK_CLASS(MPI_Pack(&number, 1, MPI_INT, buffer, 8, &position, MPI_COMM_WORLD), MPI_ERR_ARG);
}

int main(void) {
  begin_checks();
  check_packing();
  check_absolute_addresses();
  check_external();
  check_errors();
  return end_checks();
}
