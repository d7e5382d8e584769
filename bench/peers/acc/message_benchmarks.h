// message_benchmarks.h - messages between the memories of two ranks; the includer defines how each end sends, receives.
//
// Each rank sends from one memory and receives into the other, so that all messages go in one direction of the four.
#pragma once

#include <mpi.h>

#include "c_program.h"

struct endpoint;  // a buffer of so many bytes, in the memory of the host or of the device

static struct endpoint* make_endpoint(long bytes, int is_on_device);
static void send_from(struct endpoint* from, int rank);
static void receive_into(struct endpoint* to, int rank);
static void set_bytes(struct endpoint* of, char value);
static char last_byte(struct endpoint* of);
static void free_endpoint(struct endpoint* one);

static int rank;

/// Microseconds one way.
static double message_time(long bytes, int is_from_device, int is_to_device) {
  const int turns = bytes < 65536 ? 400 : bytes < 1 << 22 ? 60 : 8, other = 1 - rank;
  struct endpoint *const from = make_endpoint(bytes, is_from_device), *const to = make_endpoint(bytes, is_to_device);
  set_bytes(from, 7), set_bytes(to, 0);
  double start = 0;
  for (int i = -turns / 8 - 1; i < turns; ++i) {
    if (i == 0) start = seconds_now();
    if (rank == 0) send_from(from, other);
    receive_into(to, other);
    if (rank != 0) send_from(from, other);
  }
  const double seconds = seconds_now() - start;
  MPI_Barrier(MPI_COMM_WORLD);
  expect("the data of a message", last_byte(to) == 7);
  free_endpoint(from), free_endpoint(to);
  return 1e6 * seconds / (2 * turns);
}

/// Microseconds of a copy from each rank's host memory to its device, both ranks at the same time.
static double update_time(long bytes) {
  const int turns = bytes < 1 << 22 ? 60 : 8;
  struct endpoint* const on_device = make_endpoint(bytes, 1);
  set_bytes(on_device, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = seconds_now();
  for (int i = 0; i < turns; ++i) set_bytes(on_device, (char)(i % 100));
  const double seconds = seconds_now() - start;
  MPI_Barrier(MPI_COMM_WORLD);
  expect("the data of a copy", last_byte(on_device) == (turns - 1) % 100);
  free_endpoint(on_device);
  return 1e6 * seconds / turns;
}

static double host_to_host(long bytes) { return message_time(bytes, 0, 0); }
static double host_to_device(long bytes) { return message_time(bytes, 0, 1); }
static double device_to_host(long bytes) { return message_time(bytes, 1, 0); }
static double device_to_device(long bytes) { return message_time(bytes, 1, 1); }

static const struct benchmark benchmarks[] = {{"acc_host_host", "us", "lower", 64, host_to_host},
                                              {"acc_host_device", "us", "lower", 64, host_to_device},
                                              {"acc_device_host", "us", "lower", 64, device_to_host},
                                              {"acc_device_device", "us", "lower", 64, device_to_device},
                                              {"acc_update", "us", "lower", 1 << 20, update_time}};

static int run_message_benchmarks(int argc, char** argv) {
  return run_benchmark(benchmarks, sizeof benchmarks / sizeof *benchmarks, argc, argv, rank == 0);
}
