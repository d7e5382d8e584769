// ranks.c - benchmarks of MPI, the same source for Stretto's ranks and for other MPI libraries.
//
// It takes the options of measure.hpp that it needs and prints the same lines. `workers` is the number of ranks.
// BENCH_STARTED is when the driver started the program, in nanoseconds of the system's clock.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { window = 64, most_reps = 64 };

static int rank, ranks;
static long size;

static void expect(const char* what, int is_right) {
  if (is_right) return;
  fprintf(stderr, "wrong answer: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static char* buffer_of(size_t bytes) {
  char* const memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096 + 4096);
  expect("no memory", memory != NULL);
  memset(memory, 1, bytes);
  return memory;
}

/// Repetitions that take about as long for each size.
static long turns_of(long bytes, long small) {
  const long turns = bytes < 4096 ? small : bytes < 65536 ? small / 4 : bytes < 1 << 20 ? small / 20 : small / 400;
  return turns < 20 ? 20 : turns;
}

/// Microseconds one way of a message of `size` bytes.
static double latency(void) {
  if (ranks < 2) return 0;
  char *const out = buffer_of(size), *const in = buffer_of(size);
  const long turns = turns_of(size, 40000);
  double start = 0;
  for (long i = -turns / 10; i < turns; ++i) {
    if (i == 0) start = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(out, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(in, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(in, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
  }
  const double seconds = MPI_Wtime() - start;
  expect("data", size == 0 || in[size - 1] == 1);
  free(out), free(in);
  return seconds * 1e6 / (2 * turns);
}

/// Sends windows of messages one way, each answered by an empty one; returns seconds.
static double send_windows(long windows) {
  if (ranks < 2) return 0;
  static MPI_Request requests[window];
  char* const data = buffer_of(size);
  char* const received = buffer_of(size * window);
  double start = 0;
  for (long i = -windows / 10; i < windows; ++i) {
    if (i == 0) start = MPI_Wtime();
    if (rank == 0) {
      for (int k = 0; k < window; ++k) MPI_Isend(data, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[k]);
      MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
      MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      for (int k = 0; k < window; ++k)
        MPI_Irecv(received + k * size, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[k]);
      MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
      MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }
  const double seconds = MPI_Wtime() - start;
  free(data), free(received);
  return seconds;
}

/// Millions of messages a second.
static double rate(void) {
  const long windows = turns_of(size, 4000);
  return windows * window * 1e-6 / send_windows(windows);
}

/// Gigabytes a second.
static double bandwidth(void) {
  const long windows = turns_of(size, 1000);
  return windows * window * size * 1e-9 / send_windows(windows);
}

static double barrier(void) {
  const long turns = 40000 / ranks;
  double start = 0;
  for (long i = -turns / 10; i < turns; ++i) {
    if (i == 0) start = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - start) * 1e6 / turns;
}

static double allreduce(void) {
  const int count = size / 8;
  const long turns = turns_of(size, 40000 / ranks);
  double *const in = (double*)buffer_of(size), *const out = (double*)buffer_of(size);
  for (int k = 0; k < count; ++k) in[k] = rank;
  double start = 0;
  for (long i = -turns / 10; i < turns; ++i) {
    if (i == 0) start = MPI_Wtime();
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  const double seconds = MPI_Wtime() - start;
  expect("sum", out[count - 1] == ranks * (ranks - 1) / 2);
  free(in), free(out);
  return seconds * 1e6 / turns;
}

static double broadcast(void) {
  const long turns = turns_of(size, 40000 / ranks);
  char* const data = buffer_of(size);
  double start = 0;
  for (long i = -turns / 10; i < turns; ++i) {
    if (i == 0) start = MPI_Wtime();
    MPI_Bcast(data, size, MPI_BYTE, i % ranks < 0 ? 0 : i % ranks, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  free(data);
  return seconds * 1e6 / turns;
}

static double alltoall(void) {
  const long turns = turns_of(size * ranks, 40000 / ranks);
  char *const out = buffer_of(size * ranks), *const in = buffer_of(size * ranks);
  double start = 0;
  for (long i = -turns / 10; i < turns; ++i) {
    if (i == 0) start = MPI_Wtime();
    MPI_Alltoall(out, size, MPI_BYTE, in, size, MPI_BYTE, MPI_COMM_WORLD);
  }
  const double seconds = MPI_Wtime() - start;
  free(out), free(in);
  return seconds * 1e6 / turns;
}

static double allgather(void) {
  const long turns = turns_of(size * ranks, 40000 / ranks);
  char *const out = buffer_of(size), *const in = buffer_of(size * ranks);
  double start = 0;
  for (long i = -turns / 10; i < turns; ++i) {
    if (i == 0) start = MPI_Wtime();
    MPI_Allgather(out, size, MPI_BYTE, in, size, MPI_BYTE, MPI_COMM_WORLD);
  }
  const double seconds = MPI_Wtime() - start;
  free(out), free(in);
  return seconds * 1e6 / turns;
}

/// Each rank sends to the next one and receives from the last one.
static double ring(void) {
  const long turns = turns_of(size, 40000 / ranks);
  char *const out = buffer_of(size), *const in = buffer_of(size);
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  double start = 0;
  for (long i = -turns / 10; i < turns; ++i) {
    if (i == 0) start = MPI_Wtime();
    MPI_Sendrecv(out, size, MPI_BYTE, next, 0, in, size, MPI_BYTE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  free(out), free(in);
  return seconds * 1e6 / turns;
}

static double ready_after;

/// Milliseconds from the start of the program, or of its launcher, to the end of a first barrier.
static double start(void) { return ready_after; }

/// KiB of memory for each rank: the part of its process's that is not shared with others.
static double memory(void) {
  FILE* const file = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  double kib = 0, value;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Pss: %lf", &value) == 1) kib = value;
  if (file) fclose(file);
  int own = getpid(), alike = 0, *const all = (int*)buffer_of(ranks * sizeof(int));
  MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) alike += all[i] == own;
  free(all);
  kib /= alike;
  double sum = 0;
  MPI_Allreduce(&kib, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / ranks;
}

static const struct benchmark {
  const char *name, *unit, *better;
  long size;
  int is_measured_once;
  double (*run)(void);
} benchmarks[] = {{"latency", "us", "lower", 8, 0, latency},
                  {"rate", "M/s", "higher", 8, 0, rate},
                  {"bandwidth", "GB/s", "higher", 1 << 20, 0, bandwidth},
                  {"barrier", "us", "lower", 0, 0, barrier},
                  {"allreduce", "us", "lower", 8, 0, allreduce},
                  {"broadcast", "us", "lower", 8, 0, broadcast},
                  {"allgather", "us", "lower", 8, 0, allgather},
                  {"alltoall", "us", "lower", 8, 0, alltoall},
                  {"ring", "us", "lower", 8192, 0, ring},
                  {"start", "ms", "lower", 0, 1, start},
                  {"memory", "KiB", "lower", 0, 1, memory}};

static const char* option(int argc, char** argv, const char* name, const char* otherwise) {
  for (int i = 1; i + 1 < argc; ++i)
    if (strcmp(argv[i], name) == 0) return argv[i + 1];
  return otherwise;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void measure(const struct benchmark* what, int reps) {
  double values[most_reps];
  if (reps < 1 || what->is_measured_once) reps = 1;
  if (reps > most_reps) reps = most_reps;
  for (int i = 0; i < reps; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    values[i] = what->run();
  }
  if (rank != 0) return;
  qsort(values, reps, sizeof *values, compare);
  printf("{\"bench\":\"%s\",\"workers\":%d,\"size\":%ld,\"unit\":\"%s\",\"better\":\"%s\",\"value\":%.6g}\n",
         what->name, ranks, size, what->unit, what->better, values[reps / 2]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const char* const started = getenv("BENCH_STARTED");
  if (started) ready_after = (now.tv_sec * 1e9 + now.tv_nsec - atof(started)) * 1e-6;
  const char* const name = option(argc, argv, "--bench", "latency");
  const struct benchmark* found = NULL;
  for (size_t i = 0; i < sizeof benchmarks / sizeof *benchmarks; ++i)
    if (strcmp(benchmarks[i].name, name) == 0) found = &benchmarks[i];
  if (!found) {
    if (rank == 0) fprintf(stderr, "there is no benchmark \"%s\"\n", name);
  } else {
    size = atol(option(argc, argv, "--size", "0"));
    if (size == 0) size = found->size;
    measure(found, atoi(option(argc, argv, "--reps", "5")));
  }
  MPI_Finalize();
  return !found;
}
