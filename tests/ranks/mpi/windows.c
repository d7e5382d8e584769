/* windows.c - windows of each flavor: attributes, names, hints, groups, error handlers, and the classes of errors. */
#include <mpi.h>
#include <string.h>

#include "check.h"

static int rank, size;
static int deleted = 0, handled = 0;

static int count_deletion(MPI_Win win, int keyval, void* value, void* extra) {
  (void)win, (void)keyval, (void)value;
  ++*(int*)extra;
  return MPI_SUCCESS;
}

static void handle(MPI_Win* win, int* code, ...) {
  (void)win;
  handled = *code;
}

static void* attribute_of(MPI_Win win, int key) {
  void* value = NULL;
  int flag = 0;
  CHECK_CALL(MPI_Win_get_attr(win, key, &value, &flag));
  CHECK_EQUAL(flag, 1);
  return value;
}

static void check_attributes(MPI_Win win, void* base, MPI_Aint bytes, int unit, int flavor) {
  CHECK(attribute_of(win, MPI_WIN_BASE) == base);
  CHECK_EQUAL(*(MPI_Aint*)attribute_of(win, MPI_WIN_SIZE), bytes);
  CHECK_EQUAL(*(int*)attribute_of(win, MPI_WIN_DISP_UNIT), unit);
  CHECK_EQUAL(*(int*)attribute_of(win, MPI_WIN_CREATE_FLAVOR), flavor);
  CHECK_EQUAL(*(int*)attribute_of(win, MPI_WIN_MODEL), MPI_WIN_UNIFIED);
}

static void check_flavors(void) {
  static double numbers[10];
  MPI_Win win;
  char* base = NULL;
  CHECK_CALL(MPI_Win_create(numbers, sizeof numbers, sizeof *numbers, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  check_attributes(win, numbers, sizeof numbers, sizeof *numbers, MPI_WIN_FLAVOR_CREATE);
  CHECK_CALL(MPI_Win_free(&win));
  CHECK(win == MPI_WIN_NULL);
  CHECK_CALL(MPI_Win_allocate_c(100 + rank, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  check_attributes(win, base, 100 + rank, 2, MPI_WIN_FLAVOR_ALLOCATE);
  CHECK_CALL(MPI_Win_free(&win));
  CHECK_CALL(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win));
  check_attributes(win, base, 8, 1, MPI_WIN_FLAVOR_SHARED);
  CHECK_CALL(MPI_Win_free(&win));
  CHECK_CALL(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  check_attributes(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
  CHECK_CALL(MPI_Win_free(&win));
}

static void check_shared_query(void) {
  MPI_Comm node;
  MPI_Win win;
  char *base = NULL, *found = NULL;
  MPI_Aint bytes = 0;
  int unit = 0, place, count;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &place);
  MPI_Comm_size(node, &count);
  CHECK_CALL(MPI_Win_allocate_shared(place == 0 ? 0 : 16, 4, MPI_INFO_NULL, node, &base, &win));
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  CHECK_CALL(MPI_Win_shared_query(win, place, &bytes, &unit, &found));
  CHECK(found == base);
  CHECK_EQUAL(bytes, place == 0 ? 0 : 16);
  CHECK_EQUAL(unit, 4);
  CHECK_CALL(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &found));
  CHECK_EQUAL(bytes, count == 1 ? 0 : 16);
  if (place > 0) memset(base, place, 16);
  MPI_Barrier(node);
  for (int other = 1; other < count; ++other) {
    MPI_Aint large_unit = 0;
    CHECK_CALL(MPI_Win_shared_query_c(win, other, &bytes, &large_unit, &found));
    CHECK_EQUAL(found[15], other);
    CHECK_EQUAL(large_unit, 4);
  }
  CHECK_CLASS(MPI_Win_shared_query(win, count, &bytes, &unit, &found), MPI_ERR_RANK);
  CHECK_CALL(MPI_Win_free(&win));
  MPI_Comm_free(&node);
}

static void check_properties(MPI_Win win) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1, flag = 0;
  CHECK_CALL(MPI_Win_get_name(win, name, &length));
  CHECK_EQUAL(length, 0);
  CHECK_CALL(MPI_Win_set_name(win, "halo"));
  CHECK_CALL(MPI_Win_get_name(win, name, &length));
  CHECK(strcmp(name, "halo") == 0 && length == 4);
  CHECK_CALL(MPI_Win_get_name(MPI_WIN_NULL, name, &length));
  CHECK(strcmp(name, "MPI_WIN_NULL") == 0 && length == 12);

  MPI_Group of_window, of_world;
  int result = -1;
  CHECK_CALL(MPI_Win_get_group(win, &of_window));
  MPI_Comm_group(MPI_COMM_WORLD, &of_world);
  MPI_Group_compare(of_window, of_world, &result);
  CHECK_EQUAL(result, MPI_IDENT);
  MPI_Group_free(&of_window);
  MPI_Group_free(&of_world);

  MPI_Info hints;
  char value[10];
  CHECK_CALL(MPI_Info_create(&hints));
  MPI_Info_set(hints, "no_locks", "true");
  MPI_Info_set(hints, "unknown_to_all", "true");
  CHECK_CALL(MPI_Win_set_info(win, hints));
  MPI_Info_free(&hints);
  CHECK_CALL(MPI_Win_get_info(win, &hints));
  MPI_Info_get(hints, "no_locks", 9, value, &flag);
  CHECK(flag && strcmp(value, "true") == 0);
  MPI_Info_get(hints, "unknown_to_all", 9, value, &flag);
  CHECK_EQUAL(flag, 0);
  MPI_Info_free(&hints);
  CHECK(MPI_Win_f2c(MPI_Win_c2f(win)) == win);
  CHECK(MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)) == MPI_WIN_NULL);
}

static void check_keys(MPI_Win win) {
  int key, other, flag = -1;
  void* value;
  CHECK_CALL(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count_deletion, &key, &deleted));
  CHECK_CALL(MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, &other, NULL));
  CHECK_CALL(MPI_Win_get_attr(win, key, &value, &flag));
  CHECK_EQUAL(flag, 0);
  CHECK_CALL(MPI_Win_set_attr(win, key, &rank));
  CHECK(attribute_of(win, key) == &rank);
  CHECK_CALL(MPI_Win_set_attr(win, key, &size));
  CHECK_EQUAL(deleted, 1);
  CHECK_CALL(MPI_Win_set_attr(win, other, &size));
  CHECK_CALL(MPI_Win_delete_attr(win, other));
  CHECK_CALL(MPI_Win_free_keyval(&other));
  CHECK_CALL(MPI_Win_free_keyval(&key));
  CHECK_EQUAL(key, MPI_KEYVAL_INVALID);
  CHECK_CLASS(MPI_Win_set_attr(win, MPI_WIN_BASE, &size), MPI_ERR_KEYVAL);
}

static void check_error_handlers(MPI_Win win) {
  MPI_Errhandler own, found;
  CHECK_CALL(MPI_Win_create_errhandler(handle, &own));
  CHECK_CALL(MPI_Win_set_errhandler(win, own));
  CHECK_CALL(MPI_Win_get_errhandler(win, &found));
  CHECK(found == own);
  MPI_Errhandler_free(&found);
  MPI_Errhandler_free(&own);
  CHECK_CLASS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
  CHECK_EQUAL(class_of(handled), MPI_ERR_RMA_SYNC);
  CHECK_CALL(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
  CHECK_EQUAL(handled, MPI_ERR_OTHER);
  CHECK_CALL(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
}

static void check_errors_of_creation(void) {
  MPI_Win win;
  char memory[8], *base;
  CHECK_CLASS(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE);
  CHECK_CLASS(MPI_Win_create(memory, 8, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
  CHECK_CLASS(MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_NULL, &base, &win), MPI_ERR_COMM);
  CHECK(win == MPI_WIN_NULL);
  CHECK_CLASS(MPI_Win_free(&win), MPI_ERR_WIN);
  CHECK_CLASS(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
  CHECK_CLASS(MPI_Win_fence(0, (MPI_Win)MPI_COMM_WORLD), MPI_ERR_WIN);
}

static void check_errors_of_epochs(MPI_Win win) {
  int value = 0, flag;
  MPI_Group group;
  MPI_Win_get_group(win, &group);
  CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_unlock(rank, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_flush(rank, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_flush_local_all(win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_lock(7, rank, 0, win), MPI_ERR_LOCKTYPE);
  CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, rank, 3, win), MPI_ERR_ASSERT);
  CHECK_CLASS(MPI_Win_fence(1, win), MPI_ERR_ASSERT);
  CHECK_CLASS(MPI_Win_start(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
  CHECK_CALL(MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win));
  CHECK_CALL(MPI_Win_unlock(MPI_PROC_NULL, win));
  CHECK_CALL(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
  CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_start(group, 0, win), MPI_ERR_RMA_SYNC);
  MPI_Win copy = win;
  CHECK_CLASS(MPI_Win_free(&copy), MPI_ERR_RMA_SYNC);
  CHECK_CALL(MPI_Win_unlock(rank, win));
  MPI_Group_free(&group);
}

static int put_class(const void* from, int count, MPI_Datatype type, int target, MPI_Aint at, int target_count,
                     MPI_Win win) {
  return class_of(MPI_Put(from, count, type, target, at, target_count, type, win));
}

static void check_errors_of_operations(MPI_Win win) {
  int value[4] = {0}, result[4];
  double number = 0;
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  CHECK_CALL(MPI_Win_lock_all(0, win));
  CHECK_EQUAL(put_class(value, 1, MPI_INT, rank, 4, 1, win), MPI_ERR_RMA_RANGE);
  CHECK_EQUAL(put_class(value, 4, MPI_INT, rank, 1, 4, win), MPI_ERR_RMA_RANGE);
  CHECK_EQUAL(put_class(value, 1, MPI_INT, rank, -1, 1, win), MPI_ERR_DISP);
  CHECK_EQUAL(put_class(value, -1, MPI_INT, rank, 0, 1, win), MPI_ERR_COUNT);
  CHECK_EQUAL(put_class(value, 1, MPI_INT, rank, 0, -1, win), MPI_ERR_COUNT);
  CHECK_EQUAL(put_class(value, 1, pair, rank, 0, 1, win), MPI_ERR_TYPE);
  CHECK_EQUAL(put_class(value, 1, MPI_INT, size, 0, 1, win), MPI_ERR_RANK);
  CHECK_EQUAL(put_class(NULL, 1, MPI_INT, rank, 0, 1, win), MPI_ERR_BUFFER);
  CHECK_EQUAL(put_class(value, 2, MPI_INT, rank, 0, 1, win), MPI_ERR_TRUNCATE);
  CHECK_EQUAL(put_class(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, 1, win), MPI_SUCCESS);
  CHECK_CLASS(MPI_Accumulate(&number, 1, MPI_DOUBLE, rank, 0, 1, MPI_DOUBLE, MPI_BOR, win), MPI_ERR_OP);
  CHECK_CLASS(MPI_Accumulate(value, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
  CHECK_CLASS(MPI_Get(result, 1, MPI_INT, rank, 0, 2, MPI_INT, win), MPI_ERR_TRUNCATE);
  CHECK_CLASS(MPI_Compare_and_swap(&number, &number, result, MPI_DOUBLE, rank, 0, win), MPI_ERR_TYPE);
  CHECK_CALL(MPI_Type_commit(&pair));
  CHECK_CLASS(MPI_Fetch_and_op(value, result, pair, rank, 0, MPI_SUM, win), MPI_ERR_TYPE);
  CHECK_CALL(MPI_Win_unlock_all(win));
  CHECK_CLASS(MPI_Win_attach(win, value, 4), MPI_ERR_RMA_FLAVOR);
  MPI_Type_free(&pair);
}

int main(void) {
  int* base;
  MPI_Win win;
  begin_checks();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check_flavors();
  check_shared_query();
  check_errors_of_creation();
  CHECK_CALL(MPI_Win_allocate(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  check_properties(win);
  check_error_handlers(win);
  check_keys(win);
  check_errors_of_epochs(win);
  check_errors_of_operations(win);
  CHECK_CALL(MPI_Win_free(&win));
  CHECK_EQUAL(deleted, 2);
  return end_checks();
}
