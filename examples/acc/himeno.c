/* himeno.c - the Himeno benchmark with MPI and OpenACC: pressure in a box, whose planes are divided among ranks.
 *
 * This program relaxes Poisson's equation for the pressure by the point-Jacobi method with a stencil of 19 points, as
 * the Himeno benchmark does (R. Himeno, RIKEN; himenoBMT 3.0). Ranks divide the first axis of the grid. All arrays stay
 * on the device; after each iteration only the planes at the edges move, by `update` and a message. The program helps
 * readers whose ranks exchange borders of arrays on a device.
 *
 * The check: rank 0 computes the whole grid again, in loops of the host. The residual, which the benchmark calls gosa,
 * must be the same up to rounding.
 *
 *     stretto cc -O2 himeno.c -o himeno
 *     STRETTO_RANKS=2 ./himeno
 *
 * `./himeno S 100` makes 100 iterations on the grid S. The grids of the benchmark are XS (32 x 32 x 64 points), S
 * (64 x 64 x 128), M (128 x 128 x 256), L (256 x 256 x 512) and XL (512 x 512 x 1024). `./himeno S 100 times` also
 * prints the speed, at the 34 operations that the benchmark counts for a point.
 *
 * Output
 *   32 x 32 x 64 points, 20 iterations: gosa 4.6450e-03
 *   check passed: gosa is that of one rank
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct size {
  const char* name;
  int planes, rows, columns; /* of points, with those of the boundary */
};

static const struct size sizes[] = {
    {"XS", 32, 32, 64}, {"S", 64, 64, 128}, {"M", 128, 128, 256}, {"L", 256, 256, 512}, {"XL", 512, 512, 1024}};

static int rank, ranks;

/* Some planes of the grid, with one more at each end: of a neighbour, or of the boundary. */
static long planes, rows, columns; /* planes are without those at the ends */
static long plane, points;         /* points of a plane, and of all planes */
static float *pressure, *next, *a, *b, *c, *source, *bound;

static float* filled(long count, float value) {
  float* const result = malloc((size_t)count * sizeof *result);
  if (!result) MPI_Abort(MPI_COMM_WORLD, 2);
  for (long i = 0; i < count; ++i) result[i] = value;
  return result;
}

/* The planes from `first` to `last` - 1 of a grid, as the benchmark begins. */
static void begin(const struct size* all, long first, long last) {
  planes = last - first, rows = all->rows, columns = all->columns;
  plane = rows * columns, points = (planes + 2) * plane;
  pressure = filled(points, 0), next = filled(points, 0);
  a = filled(4 * points, 1), b = filled(3 * points, 0), c = filled(3 * points, 1);
  source = filled(points, 0), bound = filled(points, 1);
  for (long i = 3 * points; i < 4 * points; ++i) a[i] = 1.0f / 6.0f;
  for (long i = 0; i < points; ++i) {
    const float at = (float)(first - 1 + i / plane), end = (float)(all->planes - 1);
    pressure[i] = at * at / (end * end);
  }
}

static void end(void) {
  float* const all[] = {pressure, next, a, b, c, source, bound};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}

/* How far the pressure `p` at the point `i` is from the one that its neighbours give. `m` is the distance of planes,
 * `r` that of rows, and `n` the number of points. */
#pragma acc routine seq
static float residual_at(const float* p, const float* a_of, const float* b_of, const float* c_of, const float* s,
                         const float* limit, long i, long m, long r, long n) {
  const float sum = a_of[i] * p[i + m] + a_of[n + i] * p[i + r] + a_of[2 * n + i] * p[i + 1] +
                    b_of[i] * (p[i + m + r] - p[i + m - r] - p[i - m + r] + p[i - m - r]) +
                    b_of[n + i] * (p[i + r + 1] - p[i - r + 1] - p[i + r - 1] + p[i - r - 1]) +
                    b_of[2 * n + i] * (p[i + m + 1] - p[i - m + 1] - p[i + m - 1] + p[i - m - 1]) + c_of[i] * p[i - m] +
                    c_of[n + i] * p[i - r] + c_of[2 * n + i] * p[i - 1] + s[i];
  return (sum * a_of[3 * n + i] - p[i]) * limit[i];
}

/* One iteration on the device. Returns the sum of squares of residuals. */
static double relax(void) {
  double gosa = 0;
#pragma acc parallel loop collapse(3) reduction(+ : gosa) present(pressure[0 : points], next[0 : points]) \
    present(a[0 : 4 * points], b[0 : 3 * points], c[0 : 3 * points], source[0 : points], bound[0 : points])
  for (long i = 1; i <= planes; ++i)
    for (long j = 1; j < rows - 1; ++j)
      for (long k = 1; k < columns - 1; ++k) {
        const long at = i * plane + j * columns + k;
        const float residual = residual_at(pressure, a, b, c, source, bound, at, plane, columns, points);
        gosa += residual * residual;
        next[at] = pressure[at] + 0.8f * residual;
      }
#pragma acc parallel loop collapse(3) present(pressure[0 : points], next[0 : points])
  for (long i = 1; i <= planes; ++i)
    for (long j = 1; j < rows - 1; ++j)
      for (long k = 1; k < columns - 1; ++k) {
        const long at = i * plane + j * columns + k;
        pressure[at] = next[at];
      }
  return gosa;
}

/* The same on the host. */
static double relax_on_host(void) {
  double gosa = 0;
  for (long i = 1; i <= planes; ++i)
    for (long j = 1; j < rows - 1; ++j)
      for (long at = i * plane + j * columns + 1; at < i * plane + (j + 1) * columns - 1; ++at) {
        const float residual = residual_at(pressure, a, b, c, source, bound, at, plane, columns, points);
        gosa += residual * residual;
        next[at] = pressure[at] + 0.8f * residual;
      }
  for (long i = 1; i <= planes; ++i)
    for (long j = 1; j < rows - 1; ++j) {
      const long at = i * plane + j * columns + 1;
      memcpy(&pressure[at], &next[at], (size_t)(columns - 2) * sizeof(float));
    }
  return gosa;
}

/* The outermost planes of each rank go to its neighbours. */
static void exchange_planes(void) {
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, behind = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  const int count = (int)plane;
  float *const first = &pressure[plane], *const last = &pressure[planes * plane], *const behind_last = last + plane;
#pragma acc update host(pressure[plane : plane])
#pragma acc update host(pressure[planes * plane : plane])
  MPI_Sendrecv(first, count, MPI_FLOAT, before, 0, behind_last, count, MPI_FLOAT, behind, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(last, count, MPI_FLOAT, behind, 1, pressure, count, MPI_FLOAT, before, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#pragma acc update device(pressure[0 : plane])
#pragma acc update device(pressure[(planes + 1) * plane : plane])
}

/* The residual of the last iteration, over all ranks. */
static double solve(int iterations, double* seconds) {
  double gosa = 0;
#pragma acc data copyin(a[0 : 4 * points], b[0 : 3 * points], c[0 : 3 * points], source[0 : points]) \
    copyin(bound[0 : points], pressure[0 : points]) create(next[0 : points])
  {
    const double start = MPI_Wtime();
    for (int i = 0; i < iterations; ++i) {
      const double own = relax();
      exchange_planes();
      MPI_Allreduce(&own, &gosa, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    *seconds = MPI_Wtime() - start;
  }
  return gosa;
}

/* Whether rank 0 finds the same residual alone. */
static int is_right(const struct size* size, int iterations, double gosa) {
  double expected = 0;
  begin(size, 1, size->planes - 1);
  for (int i = 0; i < iterations; ++i) expected = relax_on_host();
  end();
  return fabs(gosa - expected) <= 1e-5 * expected;
}

/* Whether the check holds, on rank 0; other ranks return 1. */
static int run(const struct size* size, int iterations, int prints_speed) {
  const long inner = size->planes - 2;
  double seconds = 0;
  begin(size, 1 + inner * rank / ranks, 1 + inner * (rank + 1) / ranks);
  const double gosa = solve(iterations, &seconds);
  end();
  if (rank != 0) return 1;
  printf("%d x %d x %d points, %d iterations: gosa %.4e\n", size->planes, size->rows, size->columns, iterations, gosa);
  const double operations = 34.0 * (double)inner * (size->rows - 2) * (size->columns - 2) * iterations;
  if (prints_speed) printf("%.1f million operations per second\n", operations / seconds / 1e6);
  const int passes = is_right(size, iterations, gosa);
  printf("check %s: gosa is %sthat of one rank\n", passes ? "passed" : "failed", passes ? "" : "not ");
  return passes;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct size* wanted = NULL;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    if (strcmp(argc > 1 ? argv[1] : "XS", sizes[i].name) == 0) wanted = &sizes[i];
  const int iterations = argc > 2 ? atoi(argv[2]) : 20;
  if (!wanted || iterations < 1 || ranks > wanted->planes - 2) {
    if (rank == 0) fprintf(stderr, "usage: himeno [XS|S|M|L|XL [ITERATIONS [times]]], with a plane for each rank\n");
    MPI_Finalize();
    return 2;
  }
  int passes = run(wanted, iterations, argc > 3 && strcmp(argv[3], "times") == 0);
  MPI_Bcast(&passes, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return passes ? 0 : 1;
}
