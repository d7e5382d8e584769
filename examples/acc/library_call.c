/* library_call.c - a library's function on data that OpenACC has on the device.
 *
 * This program computes y = a x + y for vectors of n numbers, first in a region and then by daxpy of BLAS. Within
 * host_data the names x and y stand for addresses of the device, which the library gets. A library of the host can
 * use them if the device shares the host's memory. Elsewhere they belong to a library of the device, such as cuBLAS;
 * this program then takes the region for both. It looks for the system's BLAS when it runs (apt install libblas3).
 *
 * The check: both results are equal. All numbers are small multiples of 1/8, so that nothing is rounded.
 *
 *     stretto cc -O2 library_call.c -o library_call
 *     STRETTO_RANKS=2 ./library_call
 *
 * Output
 *   y = a x + y of 10000 numbers on each rank
 *   check passed: the library and the region agree
 */
#include <dlfcn.h>
#include <mpi.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 10000 };

static int rank, ranks;

/* daxpy of BLAS, with the arguments of Fortran. */
typedef void daxpy_function(const int* count, const double* a, const double* x, const int* step_x, double* y,
                            const int* step_y);

/* Null if the system has no BLAS. */
static daxpy_function* find_daxpy(void) {
  static const char* const names[] = {"libopenblas.so.0", "libblas.so.3", "libblas.so"};
  for (int i = 0; i < 3; ++i) {
    void* const library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library) return (daxpy_function*)dlsym(library, "daxpy_");
  }
  return NULL;
}

static void add_in_region(double a, const double* x, double* y) {
#pragma acc parallel loop present(x[0 : n], y[0 : n])
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}

/* The library reads and writes the memory that regions use, without a copy. */
static void add_by_library(daxpy_function* daxpy, double a, const double* x, double* y) {
  const int count = n, step = 1;
#pragma acc host_data use_device(x, y)
  daxpy(&count, &a, x, &step, y, &step);
}

static double* numbers(int seed) {
  double* const made = malloc(n * sizeof *made);
  if (!made) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < n; ++i) made[i] = (i * seed + rank) % 64 / 8.0;
  return made;
}

static int is_equal(const double* one, const double* other) {
  for (int i = 0; i < n; ++i)
    if (one[i] != other[i]) return 0;
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int shares_memory = (int)acc_get_property(0, acc_get_device_type(), acc_property_shared_memory_support);
  daxpy_function* const daxpy = shares_memory ? find_daxpy() : NULL;
  double *const x = numbers(3), *const by_region = numbers(5), *const by_library = numbers(5);
#pragma acc data copyin(x[0 : n]) copy(by_region[0 : n], by_library[0 : n])
  {
    add_in_region(2.5, x, by_region);
    if (daxpy) add_by_library(daxpy, 2.5, x, by_library);
    else add_in_region(2.5, x, by_library);
  }
  int agrees = is_equal(by_region, by_library), all_agree = 0;
  MPI_Reduce(&agrees, &all_agree, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("y = a x + y of %d numbers on each rank\ncheck %s: the library and the region %sagree\n", n,
           all_agree ? "passed" : "failed", all_agree ? "" : "dis");
  MPI_Bcast(&all_agree, 1, MPI_INT, 0, MPI_COMM_WORLD);
  free(x), free(by_region), free(by_library);
  MPI_Finalize();
  return all_agree ? 0 : 1;
}
