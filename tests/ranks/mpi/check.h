/* check.h - checks of programs of ranks: each prints what is wrong, and the exit code says whether anything was. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>

static int failures = 0;

#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)
/* of two numbers */
#define CHECK_EQUAL(found, expected) check_equal((long long)(found), (long long)(expected), #found, __FILE__, __LINE__)
/* that a call returns this class */
#define CHECK_CLASS(call, class_of_error) check_equal(class_of(call), class_of_error, #call, __FILE__, __LINE__)
#define CHECK_CALL(call) CHECK_CLASS(call, MPI_SUCCESS)

static inline void check(int is_right, const char* text, const char* file, int line) {
  if (is_right) return;
  ++failures;
  printf("%s:%d: wrong: %s\n", file, line, text);
}

static inline void check_equal(long long found, long long expected, const char* text, const char* file, int line) {
  if (found == expected) return;
  ++failures;
  printf("%s:%d: %s is %lld, expected %lld\n", file, line, text, found, expected);
}

static inline int class_of(int code) {
  int found = code;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &found);
  return found;
}

/* Begins a program whose errors are results. */
static inline void begin_checks(void) {
  MPI_Init(NULL, NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

/* Ends it; returns its exit code. */
static inline int end_checks(void) {
  MPI_Finalize();
  return failures != 0;
}

#endif
