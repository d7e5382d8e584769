/* type_attributes.c - names and attributes of datatypes. */
#include <mpi.h>
#include <string.h>

#include "check.h"

static void check_name(MPI_Datatype type, const char* expected) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  CHECK_CALL(MPI_Type_get_name(type, name, &length));
  CHECK_EQUAL(length, strlen(expected));
  if (strcmp(name, expected) == 0) return;
  ++failures;
  printf("a datatype is named \"%s\", expected \"%s\"\n", name, expected);
}

static void check_names(void) {
  MPI_Datatype type, copy;
  char name[2 * MPI_MAX_OBJECT_NAME];
  check_name(MPI_WCHAR, "MPI_WCHAR");
  check_name(MPI_2INT, "MPI_2INT");
  /* of two names for one type, the standard lists the first as its name and the other as a synonym */
  check_name(MPI_LONG_LONG, "MPI_LONG_LONG_INT");
  check_name(MPI_C_FLOAT_COMPLEX, "MPI_C_COMPLEX");
  check_name(MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL");
  CHECK_CALL(MPI_Type_set_name(MPI_CHAR, "letters"));
  check_name(MPI_CHAR, "letters");
  check_name(MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR");
  CHECK_CALL(MPI_Type_set_name(MPI_CHAR, ""));
  check_name(MPI_CHAR, "");
  MPI_Type_contiguous(2, MPI_INT, &type);
  check_name(type, "");
  CHECK_CALL(MPI_Type_set_name(type, "pair"));
  check_name(type, "pair");
  MPI_Type_dup(type, &copy);
  check_name(copy, "");
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = '\0';
  CHECK_CALL(MPI_Type_set_name(copy, name));
  name[MPI_MAX_OBJECT_NAME - 1] = '\0';
  check_name(copy, name);
  MPI_Type_free(&type);
  MPI_Type_free(&copy);
  /* a new type may get the memory of one that was freed, but not its name */
  for (int i = 0; i < 100; ++i) {
    MPI_Type_contiguous(2, MPI_INT, &type);
    check_name(type, "");
    MPI_Type_set_name(type, "pair");
    MPI_Type_free(&type);
  }
  CHECK_CLASS(MPI_Type_set_name(MPI_DATATYPE_NULL, "none"), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_set_name(MPI_INT, NULL), MPI_ERR_ARG);
}

struct calls {
  int copies, deletions;
  MPI_Datatype last;
  int result;
};

static int count_copy(MPI_Datatype type, int key, void* extra, void* value, void* copy, int* is_copied) {
  struct calls* calls = extra;
  ++calls->copies;
  calls->last = type;
  *(void**)copy = (char*)value + 1;
  *is_copied = 1;
  return calls->result;
}

static int count_deletion(MPI_Datatype type, int key, void* value, void* extra) {
  struct calls* calls = extra;
  ++calls->deletions;
  calls->last = type;
  return calls->result;
}

static void check_value(MPI_Datatype type, int key, const void* expected) {
  void* value = NULL;
  int is_set = -1;
  CHECK_CALL(MPI_Type_get_attr(type, key, &value, &is_set));
  CHECK_EQUAL(is_set, expected != NULL);
  CHECK(value == expected);
}

static void check_attributes(void) {
  static char values[4];
  struct calls calls = {0, 0, MPI_DATATYPE_NULL, MPI_SUCCESS};
  MPI_Datatype type, copy;
  int key;
  CHECK_CALL(MPI_Type_create_keyval(count_copy, count_deletion, &key, &calls));
  MPI_Type_contiguous(2, MPI_INT, &type);
  check_value(type, key, NULL);
  CHECK_CALL(MPI_Type_set_attr(type, key, &values[0]));
  CHECK_CALL(MPI_Type_set_attr(type, key, &values[1]));
  CHECK_EQUAL(calls.deletions, 1);
  check_value(type, key, &values[1]);
  CHECK_CALL(MPI_Type_dup(type, &copy));
  CHECK_EQUAL(calls.copies, 1);
  CHECK(calls.last == type);
  check_value(copy, key, &values[2]);
  CHECK_CALL(MPI_Type_delete_attr(copy, key));
  CHECK(calls.last == copy);
  CHECK_CALL(MPI_Type_delete_attr(copy, key));
  CHECK_EQUAL(calls.deletions, 2);
  check_value(copy, key, NULL);
  CHECK_CALL(MPI_Type_free(&copy));
  CHECK_EQUAL(calls.deletions, 2);
  /* functions that fail: the attribute stays, and there is no copy */
  calls.result = MPI_ERR_OTHER;
  copy = MPI_INT;
  CHECK_CLASS(MPI_Type_dup(type, &copy), MPI_ERR_OTHER);
  CHECK(copy == MPI_DATATYPE_NULL);
  CHECK_CLASS(MPI_Type_free(&type), MPI_ERR_OTHER);
  check_value(type, key, &values[1]);
  calls.result = MPI_SUCCESS;
  int freed = key;
  CHECK_CALL(MPI_Type_free_keyval(&freed));
  CHECK_EQUAL(freed, MPI_KEYVAL_INVALID);
  calls.deletions = 0;
  CHECK_CALL(MPI_Type_free(&type));
  CHECK_EQUAL(calls.deletions, 1);
  CHECK_CLASS(MPI_Type_set_attr(MPI_INT, MPI_KEYVAL_INVALID, NULL), MPI_ERR_KEYVAL);
}

static void check_predefined_type(void) {
  static int value;
  MPI_Datatype copy;
  int key, of_communicators;
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &of_communicators, NULL);
  CHECK_CALL(MPI_Type_set_attr(MPI_INT, key, &value));
  check_value(MPI_INT, key, &value);
  check_value(MPI_LONG, key, NULL);
  CHECK_CALL(MPI_Type_dup(MPI_INT, &copy));
  check_value(copy, key, &value);
  CHECK_CALL(MPI_Type_free(&copy));
  CHECK_CALL(MPI_Type_delete_attr(MPI_INT, key));
  check_value(MPI_INT, key, NULL);
  CHECK_CLASS(MPI_Type_set_attr(MPI_INT, of_communicators, &value), MPI_ERR_KEYVAL);
  MPI_Type_free_keyval(&key);
  MPI_Comm_free_keyval(&of_communicators);
}

int main(void) {
  begin_checks();
  check_names();
  check_attributes();
  check_predefined_type();
  return end_checks();
}
