/* openacc.c - regions of OpenACC and its functions, in a program of ranks. */
#include <openacc.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int rank, size;
static double weights[16]; /* each rank has its own */

#pragma acc routine seq
static double weighted(const double* x, int i) { return weights[i % 16] * x[i]; }

static void regions_of_all_kinds(void) {
  enum { n = 1000 };
  double x[n], sum = 0, expected = 0;
  for (int i = 0; i < 16; ++i) weights[i] = rank + i;
  for (int i = 0; i < n; ++i) x[i] = i, expected += (rank + i % 16) * (double)i;
#pragma acc data copyin(x, weights)
  {
#pragma acc parallel loop reduction(+ : sum) async(1)
    for (int i = 0; i < n; ++i) sum += weighted(x, i);
#pragma acc wait(1)
  }
  CHECK(sum == expected);
#pragma acc kernels
  {
    x[0] = 1;
    for (int i = 1; i < n; ++i) x[i] = x[i - 1] + rank;
  }
  CHECK(x[n - 1] == 1 + (n - 1.0) * rank);
#pragma acc serial copyout(sum)
  sum = x[1];
  CHECK(sum == 1 + rank);
}

static void gangs_without_a_divided_loop(void) {
  int runs = 0, added = 0;
#pragma acc parallel num_gangs(13) reduction(+ : runs)
  ++runs;
  CHECK_EQUAL(runs, 13);
#pragma acc parallel num_gangs(3) copy(added)
  for (int i = 0; i < 5; ++i) {
#pragma acc atomic
    ++added;
  }
  CHECK_EQUAL(added, 15);
}

static void messages_of_data_in_regions(void) {
  enum { n = 64 };
  int *const sent = malloc(n * sizeof *sent), *const received = malloc(n * sizeof *received);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
#pragma acc enter data create(sent[0 : n], received[0 : n])
#pragma acc parallel loop present(sent[0 : n])
  for (int i = 0; i < n; ++i) sent[i] = 1000 * rank + i;
#pragma acc host_data use_device(sent, received)
  MPI_Sendrecv(sent, n, MPI_INT, next, 0, received, n, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int wrong = 0;
#pragma acc parallel loop present(received[0 : n]) reduction(+ : wrong)
  for (int i = 0; i < n; ++i) wrong += received[i] != 1000 * last + i;
#pragma acc exit data delete (sent[0 : n], received[0 : n])
  CHECK_EQUAL(wrong, 0);
  free(sent);
  free(received);
}

static void settings_of_each_rank(void) {
  CHECK_EQUAL(acc_get_default_async(), 0);
  acc_set_default_async(7 + rank);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_EQUAL(acc_get_default_async(), 7 + rank);
  acc_set_default_async(acc_async_default);
  CHECK_EQUAL(acc_get_default_async(), 0);
}

static void the_device_is_the_host(void) {
  CHECK_EQUAL(_OPENACC, 202211);
  CHECK_EQUAL(acc_get_num_devices(acc_device_host), 1);
  CHECK_EQUAL(acc_get_num_devices(acc_device_nvidia), 0);
  CHECK_EQUAL(acc_get_device_type(), acc_device_host);
  CHECK(acc_on_device(acc_device_host));
  CHECK(acc_get_property(0, acc_device_host, acc_property_memory) > 0);
  CHECK_EQUAL(acc_get_property(0, acc_device_host, acc_property_shared_memory_support), 1);
  CHECK(strcmp(acc_get_property_string(0, acc_device_host, acc_property_name), "host") == 0);
  int x[4] = {1, 2, 3, 4}, y[4] = {0};
  CHECK(acc_copyin(x, sizeof x) == x);
  CHECK(acc_is_present(x, sizeof x));
  CHECK(acc_hostptr(acc_deviceptr(x)) == x);
  acc_memcpy_device(y, x, sizeof x);
  CHECK_EQUAL(y[3], 4);
  acc_delete(x, sizeof x);
  void* const memory = acc_malloc(100);
  CHECK(memory != NULL);
  acc_free(memory);
  CHECK(acc_async_test_all());
  int queues[3] = {acc_async_sync, 4, 5};
  CHECK_EQUAL(acc_wait_any(3, queues), 1);
  queues[1] = queues[2] = acc_async_sync;
  CHECK_EQUAL(acc_wait_any(3, queues), -1);
}

int main(void) {
  begin_checks();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  regions_of_all_kinds();
  gangs_without_a_divided_loop();
  messages_of_data_in_regions();
  settings_of_each_rank();
  the_device_is_the_host();
  return end_checks();
}
