/* memory_use.c - whether a device uses the memory of the host in place, or memory of its own. The argument says which
 * one it should be: "shared" or "separate". Prints what is wrong. */
#include <mpi.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 3001 };

static int rank, is_shared;

#define CHECK(condition) check(condition, #condition, __LINE__)

static void check(int holds, const char* text, int line) {
  if (!holds) printf("rank %d, line %d: %s\n", rank, line, text);
}

struct table {
  int count;
  float* values;
};

/* Each statement without an update shows the other side's values only where they share the memory. */
static void values_without_updates(float* x) {
  for (int i = 0; i < n; ++i) x[i] = i;
#pragma acc data copyin(x[0 : n])
  {
    CHECK((acc_deviceptr(x) == x) == is_shared);
    x[5] = 100;
    float seen = 0;
#pragma acc parallel loop present(x[0 : n]) reduction(+ : seen)
    for (int i = 5; i < 6; ++i) seen += x[i];
    CHECK(seen == (is_shared ? 100 : 5));
#pragma acc parallel loop present(x[0 : n])
    for (int i = 0; i < n; ++i) x[i] = -i;
    CHECK(x[7] == (is_shared ? -7 : 7));
#pragma acc update host(x[0 : n])
    CHECK(x[n - 1] == 1 - n);
  }
  CHECK(!acc_is_present(x, n * sizeof *x) || acc_get_device_type() == acc_device_host);
}

/* Parts that begin anywhere, and values of all sizes. */
static void unaligned_parts(float* x) {
  for (int first = 0; first < 9; ++first) {
    for (int i = 0; i < n; ++i) x[i] = 1;
    short small = 3;
#pragma acc parallel loop copy(x[first : 50]) copyin(small)
    for (int i = first; i < first + 50; ++i) x[i] += small;
    CHECK(x[first] == 4 && x[first + 49] == 4 && x[first + 50] == 1);
    CHECK(first == 0 || x[first - 1] == 1);
  }
}

static void queues(float* x) {
  for (int i = 0; i < n; ++i) x[i] = i;
#pragma acc enter data copyin(x[0 : n]) async(1)
  for (int k = 0; k < 20; ++k)
#pragma acc parallel loop present(x[0 : n]) async(1)
    for (int i = 0; i < n; ++i) x[i] += 1;
#pragma acc exit data copyout(x[0 : n]) async(1)
#pragma acc wait(1)
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += x[i] != i + 20;
  CHECK(wrong == 0);
}

/* The queue still has to release a part when the program enters more of it. */
static void entered_again(float* x) {
  for (int i = 0; i < n; ++i) x[i] = 0;
  for (int count = 500; count <= n; count += 500) {
#pragma acc enter data copyin(x[0 : count]) async(1)
    for (int k = 0; k < 3; ++k)
#pragma acc parallel loop present(x[0 : count]) async(1)
      for (int i = 0; i < count; ++i) x[i] += 1;
#pragma acc exit data copyout(x[0 : count]) async(1)
  }
#pragma acc wait(1)
  CHECK(x[0] == 18 && x[499] == 18 && x[500] == 15 && x[2999] == 3 && x[3000] == 0);
}

static void attached_pointers(void) {
  struct table t = {n, malloc(n * sizeof(float))};
  float* const values = t.values;
  for (int i = 0; i < n; ++i) values[i] = i;
#pragma acc data copyin(t) copy(t.values[0 : n])
  {
#pragma acc parallel loop present(t)
    for (int i = 0; i < n; ++i) t.values[i] *= 2;
  }
  CHECK(t.values == values);
  CHECK(values[n - 1] == 2 * (n - 1));
  free(values);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  is_shared = argc > 1 && strcmp(argv[1], "shared") == 0;
  float* const x = malloc(n * sizeof *x);
  const size_t property = acc_get_property(0, acc_get_device_type(), acc_property_shared_memory_support);
  CHECK((int)property == is_shared);
  values_without_updates(x);
  unaligned_parts(x);
  queues(x);
  if (is_shared) entered_again(x); /* elsewhere a copy starts with what the host has when it is made */
  if (is_shared || acc_get_device_type() == acc_device_host) attached_pointers();
  free(x);
  MPI_Finalize();
  return 0;
}
