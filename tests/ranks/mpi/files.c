/* files.c - files that ranks open, read and write together. Files are made in the current folder. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#define NUMBERS 16

static int rank, size;

static MPI_File open_new(const char* name, int more) {
  MPI_File file = MPI_FILE_NULL;
  if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_CALL(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | more, MPI_INFO_NULL, &file));
  return file;
}

static int count_of(const MPI_Status* status, MPI_Datatype type) {
  int count = -1;
  MPI_Get_count(status, type, &count);
  return count;
}

/* Fills with numbers of a rank that no other rank has. */
static void fill(int* numbers, int of) {
  for (int i = 0; i < NUMBERS; ++i) numbers[i] = of * 1000 + i;
}

static void check_numbers(const int* numbers, int of) {
  for (int i = 0; i < NUMBERS; ++i) CHECK_EQUAL(numbers[i], of * 1000 + i);
}

static void offsets(void) {
  int numbers[NUMBERS], back[NUMBERS];
  MPI_Status status;
  MPI_Request request;
  MPI_Offset bytes;
  MPI_File file = open_new("files.at", MPI_MODE_DELETE_ON_CLOSE);
  const MPI_Offset own = rank * sizeof numbers, next = (rank + 1) % size * sizeof numbers;
  fill(numbers, rank);
  CHECK_CALL(MPI_File_write_at(file, own, numbers, NUMBERS, MPI_INT, &status));
  CHECK_EQUAL(count_of(&status, MPI_INT), NUMBERS);
  CHECK_CALL(MPI_File_sync(file));
  CHECK_CALL(MPI_File_get_size(file, &bytes));
  CHECK_EQUAL(bytes, size * sizeof numbers);
  CHECK_CALL(MPI_File_read_at(file, next, back, NUMBERS, MPI_INT, &status));
  check_numbers(back, (rank + 1) % size);
  memset(back, 0, sizeof back);
  CHECK_CALL(MPI_File_iread_at(file, next, back, NUMBERS, MPI_INT, &request));
  CHECK_CALL(MPI_Wait(&request, &status));
  CHECK_EQUAL(count_of(&status, MPI_INT), NUMBERS);
  check_numbers(back, (rank + 1) % size);
  memset(back, 0, sizeof back);
  CHECK_CALL(MPI_File_read_at_all_c(file, next, back, NUMBERS, MPI_INT, &status));
  check_numbers(back, (rank + 1) % size);
  /* beyond the end */
  CHECK_CALL(MPI_File_read_at(file, bytes - 4, back, NUMBERS, MPI_INT, &status));
  CHECK_EQUAL(count_of(&status, MPI_INT), 1);
  CHECK_CLASS(MPI_File_read_at(file, -1, back, 1, MPI_INT, &status), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_read_at(file, 0, back, -1, MPI_INT, &status), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_File_read_at_all(file, 0, back, -1, MPI_INT, &status), MPI_ERR_COUNT);
  CHECK_CALL(MPI_File_close(&file));
  CHECK(file == MPI_FILE_NULL);
  CHECK_CLASS(MPI_File_open(MPI_COMM_SELF, "files.at", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
}

/* Rank r has every size-th number from r on. */
static void interleaved(void) {
  int numbers[NUMBERS], back[NUMBERS];
  MPI_Status status;
  MPI_Request request;
  MPI_Datatype part, column, etype, filetype;
  MPI_Offset offset;
  MPI_Aint extent;
  char datarep[MPI_MAX_DATAREP_STRING];
  MPI_File file = open_new("files.view", MPI_MODE_DELETE_ON_CLOSE);
  MPI_Type_vector(NUMBERS, 1, size, MPI_INT, &part);
  MPI_Type_create_resized(part, 0, NUMBERS * size * sizeof(int), &column);
  MPI_Type_free(&part);
  MPI_Type_commit(&column);
  CHECK_CALL(MPI_File_set_view(file, rank * sizeof(int), MPI_INT, column, "native", MPI_INFO_NULL));
  MPI_Type_free(&column);
  fill(numbers, rank);
  CHECK_CALL(MPI_File_write_all(file, numbers, NUMBERS, MPI_INT, &status));
  CHECK_EQUAL(count_of(&status, MPI_INT), NUMBERS);
  CHECK_CALL(MPI_File_get_position(file, &offset));
  CHECK_EQUAL(offset, NUMBERS);
  CHECK_CALL(MPI_File_get_byte_offset(file, 3, &offset));
  CHECK_EQUAL(offset, (rank + 3 * size) * sizeof(int));
  CHECK_CALL(MPI_File_seek(file, -1, MPI_SEEK_CUR));
  CHECK_CALL(MPI_File_seek(file, -NUMBERS, MPI_SEEK_END));
  CHECK_CALL(MPI_File_get_position(file, &offset));
  CHECK_EQUAL(offset, 0);
  CHECK_CLASS(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG);
  CHECK_CALL(MPI_File_read_all(file, back, NUMBERS, MPI_INT, &status));
  check_numbers(back, rank);
  memset(back, 0, sizeof back);
  CHECK_CALL(MPI_File_iread_at_all(file, 0, back, NUMBERS, MPI_INT, &request));
  CHECK_CALL(MPI_Wait(&request, &status));
  check_numbers(back, rank);
  memset(back, 0, sizeof back);
  CHECK_CALL(MPI_File_read_at_all_begin(file, 0, back, NUMBERS, MPI_INT));
  CHECK_CLASS(MPI_File_read_all_end(file, back, &status), MPI_ERR_OTHER);
  CHECK_CALL(MPI_File_read_at_all_end(file, back, &status));
  CHECK_EQUAL(count_of(&status, MPI_INT), NUMBERS);
  check_numbers(back, rank);
  CHECK_CALL(MPI_File_get_view(file, &offset, &etype, &filetype, datarep));
  CHECK_EQUAL(offset, rank * sizeof(int));
  CHECK(etype == MPI_INT);
  CHECK(strcmp(datarep, "native") == 0);
  MPI_Type_free(&filetype);
  CHECK_CALL(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
  CHECK_EQUAL(extent, sizeof(double));
  /* all numbers, as they lie in the file */
  CHECK_CALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  for (int i = 0; i < NUMBERS * size; ++i) {
    CHECK_CALL(MPI_File_read(file, back, 1, MPI_INT, &status));
    CHECK_EQUAL(back[0], i % size * 1000 + i / size);
  }
  CHECK_CALL(MPI_File_read(file, back, 1, MPI_INT, &status));
  CHECK_EQUAL(count_of(&status, MPI_INT), 0);
  CHECK_CLASS(MPI_File_set_view(file, -5, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "roman", MPI_INFO_NULL), MPI_ERR_UNSUPPORTED_DATAREP);
  CHECK_CLASS(MPI_File_set_view(file, 0, MPI_INT, MPI_CHAR, "native", MPI_INFO_NULL), MPI_ERR_IO);
  CHECK_CALL(MPI_File_close(&file));
}

/* More than a rank transfers itself, and more than a window. */
static void large(void) {
  const int blocks = 2500, ints = 512;
  MPI_Status status;
  MPI_Request request;
  MPI_Datatype type;
  MPI_File file = open_new("files.large", MPI_MODE_DELETE_ON_CLOSE);
  int* numbers = malloc((size_t)blocks * ints * sizeof(int));
  for (int i = 0; i < blocks * ints; ++i) numbers[i] = i * 17 + rank;
  MPI_Type_vector(blocks, ints, ints * size, MPI_INT, &type);
  MPI_Type_commit(&type);
  CHECK_CALL(MPI_File_set_view(file, (MPI_Offset)rank * ints * sizeof(int), MPI_INT, type, "native", MPI_INFO_NULL));
  CHECK_CALL(MPI_File_write_all(file, numbers, blocks * ints, MPI_INT, &status));
  CHECK_EQUAL(count_of(&status, MPI_INT), blocks * ints);
  for (int way = 0; way < 3; ++way) {
    int wrong = 0;
    memset(numbers, 0, (size_t)blocks * ints * sizeof(int));
    if (way == 0) CHECK_CALL(MPI_File_read_at_all(file, 0, numbers, blocks * ints, MPI_INT, &status));
    if (way == 1) CHECK_CALL(MPI_File_read_at(file, 0, numbers, blocks * ints, MPI_INT, &status));
    if (way == 2) {
      CHECK_CALL(MPI_File_iread_at(file, 0, numbers, blocks * ints, MPI_INT, &request));
      CHECK_CALL(MPI_Wait(&request, &status));
    }
    CHECK_EQUAL(count_of(&status, MPI_INT), blocks * ints);
    for (int i = 0; i < blocks * ints; ++i) wrong += numbers[i] != i * 17 + rank;
    CHECK_EQUAL(wrong, 0);
  }
  MPI_Type_free(&type);
  CHECK_CALL(MPI_File_close(&file));
  free(numbers);
}

/* Pairs of all ranks, one after another, so many that ranks of several nodes write for each other. */
static void many_pairs(void) {
  enum { pairs = 20000 };
  const MPI_Offset all = (MPI_Offset)pairs * size * 2;
  int *own = malloc(pairs * 2 * sizeof(int)), *whole = malloc(all * sizeof(int));
  MPI_Status status;
  MPI_Datatype type, every;
  MPI_File file = open_new("files.pairs", MPI_MODE_DELETE_ON_CLOSE);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_create_resized(type, 0, size * 2 * sizeof(int), &every);
  MPI_Type_commit(&every);
  CHECK_CALL(MPI_File_set_view(file, rank * 2 * (MPI_Offset)sizeof(int), MPI_INT, every, "native", MPI_INFO_NULL));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < pairs * 2; ++i) own[i] = (i / 2 * size + rank) * 2 + i % 2 + round;
    if (round == 0) {
      CHECK_CALL(MPI_File_write_at_all(file, 0, own, pairs * 2, MPI_INT, &status));
    } else {
      CHECK_CALL(MPI_File_write_at_all_begin(file, 0, own, pairs * 2, MPI_INT));
      CHECK_CALL(MPI_File_write_at_all_end(file, own, &status));
    }
    CHECK_EQUAL(count_of(&status, MPI_INT), pairs * 2);
    CHECK_CALL(MPI_File_sync(file));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_CALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_CALL(MPI_File_read_at_all(file, 0, whole, all, MPI_INT, &status));
    for (MPI_Offset i = 0; i < all; ++i) CHECK_EQUAL(whole[i], (int)i + round);
    CHECK_CALL(MPI_File_set_view(file, rank * 2 * (MPI_Offset)sizeof(int), MPI_INT, every, "native", MPI_INFO_NULL));
  }
  CHECK_CALL(MPI_File_close(&file));
  MPI_Type_free(&every), MPI_Type_free(&type);
  free(own), free(whole);
}

static void shared(void) {
  int numbers[NUMBERS], back[NUMBERS], seen[64] = {0}, all[64];
  MPI_Status status;
  MPI_Request request;
  MPI_Offset offset;
  MPI_File file = open_new("files.shared", MPI_MODE_DELETE_ON_CLOSE);
  CHECK_CALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  fill(numbers, rank);
  CHECK_CALL(MPI_File_write_ordered(file, numbers, NUMBERS, MPI_INT, &status));
  CHECK_CALL(MPI_File_get_position_shared(file, &offset));
  CHECK(offset >= NUMBERS * size);
  CHECK_CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  CHECK_CALL(MPI_File_read_ordered(file, back, NUMBERS, MPI_INT, &status));
  check_numbers(back, rank);
  CHECK_CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  CHECK_CALL(MPI_File_read_ordered_begin(file, back, NUMBERS, MPI_INT));
  CHECK_CALL(MPI_File_read_ordered_end(file, back, &status));
  check_numbers(back, rank);
  /* each block is read by one rank */
  CHECK_CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  if (rank % 2) {
    CHECK_CALL(MPI_File_read_shared(file, back, NUMBERS, MPI_INT, &status));
  } else {
    CHECK_CALL(MPI_File_iread_shared(file, back, NUMBERS, MPI_INT, &request));
    CHECK_CALL(MPI_Wait(&request, &status));
  }
  CHECK_EQUAL(count_of(&status, MPI_INT), NUMBERS);
  check_numbers(back, back[0] / 1000);
  seen[back[0] / 1000]++;
  MPI_Allreduce(seen, all, size, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) CHECK_EQUAL(all[i], 1);
  CHECK_CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_END));
  CHECK_CALL(MPI_File_get_position_shared(file, &offset));
  CHECK_EQUAL(offset, NUMBERS * size);
  if (size > 1) CHECK_CLASS(MPI_File_seek_shared(file, rank, MPI_SEEK_SET), MPI_ERR_NOT_SAME);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_CALL(MPI_File_close(&file));
}

static int extents_asked = 0;
static int extent_of(MPI_Datatype type, MPI_Aint* extent, void* state) {
  int bytes;
  MPI_Type_size(type, &bytes);
  *extent = 2 * bytes;
  *(int*)state = ++extents_asked;
  return MPI_SUCCESS;
}
/* Each value has a mark behind it in the file; values are ints. */
static int mark(void* user, MPI_Datatype type, int count, void* in_file, MPI_Offset position, void* state) {
  (void)type, (void)state;
  for (int i = 0; i < count; ++i) {
    ((int*)in_file)[2 * i] = ((int*)user)[position + i];
    ((int*)in_file)[2 * i + 1] = -7;
  }
  return MPI_SUCCESS;
}
static int unmark(void* user, MPI_Datatype type, int count, void* in_file, MPI_Offset position, void* state) {
  (void)type, (void)state;
  for (int i = 0; i < count; ++i) ((int*)user)[position + i] = ((int*)in_file)[2 * i];
  return MPI_SUCCESS;
}

static void representations(void) {
  static int state;
  long numbers[NUMBERS], back[NUMBERS];
  int ints[NUMBERS], read[2 * NUMBERS];
  unsigned char bytes[4];
  MPI_Status status;
  MPI_Request request;
  MPI_Aint extent;
  MPI_Offset offset;
  MPI_File file = open_new("files.external", MPI_MODE_DELETE_ON_CLOSE);
  CHECK_CALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
  CHECK_CALL(MPI_File_get_type_extent(file, MPI_LONG, &extent));
  fill(ints, rank);
  CHECK_CALL(MPI_File_write_at_all(file, rank * NUMBERS, ints, NUMBERS, MPI_INT, &status));
  CHECK_EQUAL(count_of(&status, MPI_INT), NUMBERS);
  CHECK_CALL(MPI_File_read_at_all(file, rank * NUMBERS, read, NUMBERS, MPI_INT, &status));
  CHECK_EQUAL(count_of(&status, MPI_INT), NUMBERS);
  check_numbers(read, rank);
  CHECK_CALL(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  CHECK_CALL(MPI_File_read_at(file, (rank * NUMBERS + 1) * 4, bytes, 4, MPI_BYTE, &status));
  CHECK_EQUAL(bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3], rank * 1000 + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_CALL(MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
  for (int i = 0; i < NUMBERS; ++i) numbers[i] = -i - rank;
  CHECK_CALL(MPI_File_iwrite_at(file, rank * NUMBERS, numbers, NUMBERS, MPI_LONG, &request));
  CHECK_CALL(MPI_Wait(&request, &status));
  CHECK_CALL(MPI_File_get_byte_offset(file, 3, &offset));
  CHECK_EQUAL(offset, 3 * extent);
  CHECK_CALL(MPI_File_iread_at(file, rank * NUMBERS, back, NUMBERS, MPI_LONG, &request));
  CHECK_CALL(MPI_Wait(&request, &status));
  CHECK_EQUAL(count_of(&status, MPI_LONG), NUMBERS);
  for (int i = 0; i < NUMBERS; ++i) CHECK_EQUAL(back[i], numbers[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  /* of the program */
  CHECK_CALL(MPI_Register_datarep("marked", unmark, mark, extent_of, &state));
  CHECK_CLASS(MPI_Register_datarep("marked", unmark, mark, extent_of, &state), MPI_ERR_DUP_DATAREP);
  CHECK_CALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "marked", MPI_INFO_NULL));
  CHECK_CALL(MPI_File_write_at_all(file, rank * NUMBERS, ints, NUMBERS, MPI_INT, &status));
  CHECK_CALL(MPI_File_read_at_all_begin(file, rank * NUMBERS, read, NUMBERS, MPI_INT));
  CHECK_CALL(MPI_File_read_at_all_end(file, read, &status));
  CHECK_EQUAL(count_of(&status, MPI_INT), NUMBERS);
  check_numbers(read, rank);
  CHECK(state > 0);
  CHECK_CALL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK_CALL(MPI_File_read_at(file, 2 * rank * NUMBERS, read, 2 * NUMBERS, MPI_INT, &status));
  for (int i = 0; i < NUMBERS; ++i) CHECK_EQUAL(read[2 * i + 1], -7);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_CALL(MPI_File_close(&file));
}

static void sizes_and_modes(void) {
  int number = 5, amode, flag;
  MPI_Offset bytes;
  MPI_Group group;
  MPI_Info info;
  MPI_Status status;
  MPI_File file = open_new("files.modes", 0), other;
  CHECK_CALL(MPI_File_set_size(file, 1000));
  CHECK_CALL(MPI_File_get_size(file, &bytes));
  CHECK_EQUAL(bytes, 1000);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_CALL(MPI_File_preallocate(file, 5000));
  CHECK_CALL(MPI_File_get_size(file, &bytes));
  CHECK_EQUAL(bytes, 5000);
  CHECK_CLASS(MPI_File_set_size(file, -1), MPI_ERR_ARG);
  CHECK_CALL(MPI_File_get_amode(file, &amode));
  CHECK_EQUAL(amode, MPI_MODE_CREATE | MPI_MODE_RDWR);
  CHECK_CALL(MPI_File_get_group(file, &group));
  MPI_Group_size(group, &number);
  CHECK_EQUAL(number, size);
  MPI_Group_free(&group);
  CHECK_CALL(MPI_File_get_info(file, &info));
  MPI_Info_free(&info);
  CHECK_CALL(MPI_File_set_atomicity(file, 1));
  CHECK_CALL(MPI_File_get_atomicity(file, &flag));
  CHECK_EQUAL(flag, 1);
  CHECK_CALL(MPI_File_write_at(file, rank * sizeof(int), &rank, 1, MPI_INT, &status));
  CHECK_CALL(MPI_File_read_at(file, rank * sizeof(int), &number, 1, MPI_INT, &status));
  CHECK_EQUAL(number, rank);
  CHECK(MPI_File_f2c(MPI_File_c2f(file)) == file);
  CHECK_CALL(MPI_File_close(&file));

  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, "files.modes", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR,
                            MPI_INFO_NULL, &file),
              MPI_ERR_FILE_EXISTS);
  CHECK(file == MPI_FILE_NULL);
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, "files.modes", MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &file),
              MPI_ERR_AMODE);
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, ".", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_BAD_FILE);
  CHECK_CALL(MPI_File_open(MPI_COMM_WORLD, "files.modes", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  CHECK_CLASS(MPI_File_write_at(file, 0, &number, 1, MPI_INT, &status), MPI_ERR_READ_ONLY);
  CHECK_CLASS(MPI_File_set_size(file, 0), MPI_ERR_READ_ONLY);
  CHECK_CLASS(
      MPI_File_open(MPI_COMM_SELF, "files.modes", MPI_MODE_RDONLY | MPI_MODE_UNIQUE_OPEN, MPI_INFO_NULL, &other),
      MPI_ERR_FILE_IN_USE);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_CALL(MPI_File_close(&file));
  CHECK_CALL(MPI_File_open(MPI_COMM_WORLD, "files.modes", MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL, &file));
  CHECK_CALL(MPI_File_get_position(file, &bytes));
  CHECK_EQUAL(bytes, 5000);
  CHECK_CLASS(MPI_File_read_at(file, 0, &number, 1, MPI_INT, &status), MPI_ERR_ACCESS);
  CHECK_CALL(MPI_File_close(&file));
  CHECK_CALL(MPI_File_open(MPI_COMM_WORLD, "files.modes", MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &file));
  CHECK_CLASS(MPI_File_write(file, &number, 1, MPI_INT, &status), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_CALL(MPI_File_write_shared(file, &number, 1, MPI_INT, &status));
  CHECK_CALL(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  CHECK_CALL(MPI_File_close(&file));
  /* together, and after that alone */
  for (int i = 0; i < 5; ++i) {
    CHECK_CALL(
        MPI_File_open(MPI_COMM_WORLD, "files.modes", MPI_MODE_RDONLY | MPI_MODE_UNIQUE_OPEN, MPI_INFO_NULL, &file));
    CHECK_CALL(MPI_File_close(&file));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      CHECK_CALL(
          MPI_File_open(MPI_COMM_SELF, "files.modes", MPI_MODE_RDONLY | MPI_MODE_UNIQUE_OPEN, MPI_INFO_NULL, &other));
      CHECK_CALL(MPI_File_close(&other));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) CHECK_CALL(MPI_File_delete("files.modes", MPI_INFO_NULL));
  if (rank == 0) CHECK_CLASS(MPI_File_delete("files.modes", MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
}

/* Each finds what one rank has written, and not parts of several. */
static void atomic_writes(void) {
  enum { pieces = 64, ints = 100 };
  static int numbers[pieces * ints], back[pieces * ints];
  MPI_Status status;
  MPI_Datatype type;
  MPI_File file = open_new("files.atomic", MPI_MODE_DELETE_ON_CLOSE);
  MPI_Type_vector(pieces, ints, 2 * ints, MPI_INT, &type);
  MPI_Type_commit(&type);
  CHECK_CALL(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL));
  CHECK_CALL(MPI_File_set_atomicity(file, 1));
  for (int round = 0; round < 10; ++round) {
    int wrong = 0;
    for (int i = 0; i < pieces * ints; ++i) numbers[i] = 100 * rank + round;
    CHECK_CALL(MPI_File_write_at(file, 0, numbers, pieces * ints, MPI_INT, &status));
    CHECK_CALL(MPI_File_read_at(file, 0, back, pieces * ints, MPI_INT, &status));
    for (int i = 0; i < pieces * ints; ++i) wrong += back[i] != back[0];
    CHECK_EQUAL(wrong, 0);
  }
  MPI_Type_free(&type);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_CALL(MPI_File_close(&file));
}

static int handled = 0;
static void handle(MPI_File* file, int* code, ...) {
  (void)file;
  ++handled;
  *code = MPI_ERR_IO;
}

static void handlers(void) {
  MPI_Errhandler handler, found;
  MPI_Status status;
  int number;
  MPI_File file = open_new("files.handlers", MPI_MODE_DELETE_ON_CLOSE), none;
  CHECK_CALL(MPI_File_get_errhandler(file, &found));
  CHECK(found == MPI_ERRORS_RETURN);
  CHECK_CALL(MPI_File_create_errhandler(handle, &handler));
  CHECK_CALL(MPI_File_set_errhandler(file, handler));
  CHECK_EQUAL(MPI_File_read_at(file, -1, &number, 1, MPI_INT, &status), MPI_ERR_IO);
  CHECK_EQUAL(handled, 1);
  CHECK_EQUAL(MPI_File_call_errhandler(file, MPI_ERR_OTHER), MPI_SUCCESS);
  CHECK_EQUAL(handled, 2);
  CHECK_CALL(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
  CHECK_EQUAL(MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &none), MPI_ERR_IO);
  CHECK_EQUAL(handled, 3);
  CHECK_CALL(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  MPI_Errhandler_free(&handler);
  CHECK_CALL(MPI_File_close(&file));
  CHECK_CLASS(MPI_File_get_size(MPI_FILE_NULL, (MPI_Offset[1]){0}), MPI_ERR_FILE);
}

int main(void) {
  begin_checks();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  offsets();
  interleaved();
  large();
  many_pairs();
  shared();
  representations();
  sizes_and_modes();
  atomic_writes();
  handlers();
  return end_checks();
}
