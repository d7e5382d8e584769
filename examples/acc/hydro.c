/* hydro.c - a gas with MPI and OpenACC: the blast of Sedov on a grid, whose rows are divided among ranks.
 *
 * This program solves Euler's equations of a gas in a square box with walls. All energy is at first in the middle, and
 * drives a shock outwards. Each step finds the greatest speed of all ranks, computes the fluxes between cells (those of
 * Rusanov) and changes each cell by its four fluxes. The arrays of the gas are members of structures. The data clauses
 * move these structures and attach their pointers. The program helps readers whose arrays are in structures.
 *
 * The check: the mass and the energy of the box stay the same to 1e-10, and its momentum is zero. The rows and columns
 * of cells have the same values for any number of ranks.
 *
 *     stretto cc -O2 hydro.c -o hydro -lm
 *     STRETTO_RANKS=2 ./hydro
 *
 * `./hydro 1000 500` makes 500 steps on 1000 x 1000 cells. `./hydro 1000 500 times` also prints the speed.
 *
 * Output
 *   100 steps on 64 x 64 cells, to time 0.056568
 *   total energy 1.000010, kinetic energy 0.153493
 *   check passed: mass, momentum and energy are conserved
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADIABATIC_INDEX 1.4

/* Of cells, or of fluxes through faces: along a row, and from row to row. */
struct gas {
  double *density, *momentum_x, *momentum_y, *energy;
};

/* Of one cell: with the momentum across a face, and the one along it. */
struct cell {
  double density, across, along, energy;
};

struct totals {
  double mass, momentum_x, momentum_y, energy, kinetic_energy;
};

static int rank, ranks;
static long side, rows, width, count; /* cells of the box's side; rows of this rank; cells of a row and of all rows */
static struct gas cells, flux_x, flux_y;

#pragma acc routine seq
static double pressure(struct cell c) {
  return (ADIABATIC_INDEX - 1) * (c.energy - (c.across * c.across + c.along * c.along) / (2 * c.density));
}

/* The greatest speed of a wave across a face. */
#pragma acc routine seq
static double wave_speed(struct cell c) {
  return fabs(c.across / c.density) + sqrt(ADIABATIC_INDEX * pressure(c) / c.density);
}

/* The flux from `a` to `b`. */
#pragma acc routine seq
static struct cell flux(struct cell a, struct cell b) {
  const double u = a.across / a.density, v = b.across / b.density, p = pressure(a), q = pressure(b);
  const double speed = fmax(wave_speed(a), wave_speed(b));
  struct cell f;
  f.density = (a.across + b.across - speed * (b.density - a.density)) / 2;
  f.across = (a.across * u + p + b.across * v + q - speed * (b.across - a.across)) / 2;
  f.along = (a.along * u + b.along * v - speed * (b.along - a.along)) / 2;
  f.energy = ((a.energy + p) * u + (b.energy + q) * v - speed * (b.energy - a.energy)) / 2;
  return f;
}

/* Also on the device: first the structure, then its arrays, whose addresses there are stored in the structure there. */
static void new_gas(struct gas* g) {
  double** const all[] = {&g->density, &g->momentum_x, &g->momentum_y, &g->energy};
  for (int i = 0; i < 4; ++i)
    if (!(*all[i] = calloc((size_t)count, sizeof(double)))) MPI_Abort(MPI_COMM_WORLD, 2);
#pragma acc enter data copyin(g[0 : 1])
#pragma acc enter data copyin(g->density[0 : count], g->momentum_x[0 : count])
#pragma acc enter data copyin(g->momentum_y[0 : count], g->energy[0 : count])
}

static void free_gas(struct gas* g) {
#pragma acc exit data delete (g->density[0 : count], g->momentum_x[0 : count])
#pragma acc exit data delete (g->momentum_y[0 : count], g->energy[0 : count])
#pragma acc exit data delete (g[0 : 1])
  free(g->density), free(g->momentum_x), free(g->momentum_y), free(g->energy);
}

/* The energy 1 in the middle of the box, whose side is 1. */
static void begin(void) {
  const long before = side * rank / ranks;
  const double of_cell = (double)(side * side);
  new_gas(&cells), new_gas(&flux_x), new_gas(&flux_y);
  for (long i = 0; i < count; ++i) {
    const long row = before + i / width - 1, column = i % width - 1;
    const int is_middle = (row == side / 2 || row == side / 2 - 1) && (column == side / 2 || column == side / 2 - 1);
    cells.density[i] = 1;
    cells.energy[i] = is_middle ? of_cell / 4 : 1e-5;
  }
#pragma acc update device(cells.density[0 : count], cells.energy[0 : count])
}

static void copy_to_host(void) {
#pragma acc update host(cells.density[0 : count], cells.momentum_x[0 : count])
#pragma acc update host(cells.momentum_y[0 : count], cells.energy[0 : count])
}

/* The cells of a wall mirror those next to it: `n` cells from `to`, which are `stride` apart. */
static void mirror(long to, long from, long stride, long n, double sign_x, double sign_y) {
#pragma acc parallel loop present(cells)
  for (long k = 0; k < n; ++k) {
    const long i = to + k * stride, j = from + k * stride;
    cells.density[i] = cells.density[j];
    cells.momentum_x[i] = sign_x * cells.momentum_x[j];
    cells.momentum_y[i] = sign_y * cells.momentum_y[j];
    cells.energy[i] = cells.energy[j];
  }
}

/* The outermost rows of one array go to the neighbours. */
static void exchange_rows(double* of, int tag) {
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  const int n = (int)width;
#pragma acc update host(of[width : width])
#pragma acc update host(of[rows * width : width])
  MPI_Sendrecv(&of[width], n, MPI_DOUBLE, up, tag, &of[(rows + 1) * width], n, MPI_DOUBLE, down, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&of[rows * width], n, MPI_DOUBLE, down, tag, of, n, MPI_DOUBLE, up, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#pragma acc update device(of[0 : width])
#pragma acc update device(of[(rows + 1) * width : width])
}

static void fill_edges(void) {
  double* const all[] = {cells.density, cells.momentum_x, cells.momentum_y, cells.energy};
  for (int i = 0; i < 4; ++i) exchange_rows(all[i], i);
  mirror(width, width + 1, width, rows, -1, 1);
  mirror(2 * width - 1, 2 * width - 2, width, rows, -1, 1);
  if (rank == 0) mirror(0, width, 1, width, 1, -1);
  if (rank == ranks - 1) mirror((rows + 1) * width, rows * width, 1, width, 1, -1);
}

/* The time in which no wave passes more than a part of a cell, on any rank. */
static double time_step(void) {
  double greatest = 0, step;
#pragma acc parallel loop collapse(2) reduction(max : greatest) default(present)
  for (long row = 1; row <= rows; ++row)
    for (long column = 1; column < width - 1; ++column) {
      const long i = row * width + column;
      const struct cell x = {cells.density[i], cells.momentum_x[i], cells.momentum_y[i], cells.energy[i]};
      const struct cell y = {cells.density[i], cells.momentum_y[i], cells.momentum_x[i], cells.energy[i]};
      greatest = fmax(greatest, wave_speed(x) + wave_speed(y));
    }
  const double own = 0.4 / (greatest * (double)side);
  MPI_Allreduce(&own, &step, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return step;
}

/* Through two faces of each cell: to the next one in its row and to that in its column. */
static void find_fluxes(void) {
#pragma acc parallel loop collapse(2) default(present)
  for (long row = 0; row <= rows; ++row)
    for (long column = 0; column < width - 1; ++column) {
      const long i = row * width + column, right = i + 1, down = i + width;
      const struct cell a = {cells.density[i], cells.momentum_x[i], cells.momentum_y[i], cells.energy[i]};
      const struct cell b = {cells.density[right], cells.momentum_x[right], cells.momentum_y[right],
                             cells.energy[right]};
      const struct cell c = {cells.density[i], cells.momentum_y[i], cells.momentum_x[i], cells.energy[i]};
      const struct cell d = {cells.density[down], cells.momentum_y[down], cells.momentum_x[down], cells.energy[down]};
      const struct cell x = flux(a, b), y = flux(c, d);
      flux_x.density[i] = x.density, flux_y.density[i] = y.density;
      flux_x.momentum_x[i] = x.across, flux_y.momentum_x[i] = y.along;
      flux_x.momentum_y[i] = x.along, flux_y.momentum_y[i] = y.across;
      flux_x.energy[i] = x.energy, flux_y.energy[i] = y.energy;
    }
}

#pragma acc routine seq
static double outflow(const double* along_row, const double* along_column, long i, long width_of_row) {
  return along_row[i] - along_row[i - 1] + along_column[i] - along_column[i - width_of_row];
}

static void apply_fluxes(double step) {
  const double scale = step * (double)side;
#pragma acc parallel loop collapse(2) default(present)
  for (long row = 1; row <= rows; ++row)
    for (long column = 1; column < width - 1; ++column) {
      const long i = row * width + column;
      cells.density[i] -= scale * outflow(flux_x.density, flux_y.density, i, width);
      cells.momentum_x[i] -= scale * outflow(flux_x.momentum_x, flux_y.momentum_x, i, width);
      cells.momentum_y[i] -= scale * outflow(flux_x.momentum_y, flux_y.momentum_y, i, width);
      cells.energy[i] -= scale * outflow(flux_x.energy, flux_y.energy, i, width);
    }
}

/* Returns the time that the steps cover. */
static double advance(int steps) {
  double time = 0;
  for (int i = 0; i < steps; ++i) {
    fill_edges();
    const double step = time_step();
    find_fluxes();
    apply_fluxes(step);
    time += step;
  }
  return time;
}

/* Of all ranks, on the host. */
static struct totals find_totals(void) {
  enum { numbers = sizeof(struct totals) / sizeof(double) };
  const double volume = 1 / ((double)side * (double)side);
  struct totals own = {0, 0, 0, 0, 0}, all;
  for (long row = 1; row <= rows; ++row)
    for (long i = row * width + 1; i < (row + 1) * width - 1; ++i) {
      const double x = cells.momentum_x[i], y = cells.momentum_y[i];
      own.mass += cells.density[i] * volume;
      own.momentum_x += x * volume;
      own.momentum_y += y * volume;
      own.energy += cells.energy[i] * volume;
      own.kinetic_energy += (x * x + y * y) / (2 * cells.density[i]) * volume;
    }
  MPI_Allreduce(&own, &all, numbers, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static int is_conserved(const struct totals* first, const struct totals* last) {
  return fabs(last->mass - first->mass) <= 1e-10 * first->mass &&
         fabs(last->energy - first->energy) <= 1e-10 * first->energy && fabs(last->momentum_x) <= 1e-10 &&
         fabs(last->momentum_y) <= 1e-10;
}

static int run(int steps, int prints_speed) {
  begin();
  const struct totals first = find_totals();
  const double start = MPI_Wtime(), time = advance(steps), seconds = MPI_Wtime() - start;
  copy_to_host();
  const struct totals last = find_totals();
  const int passes = is_conserved(&first, &last);
  if (rank == 0) {
    printf("%d steps on %ld x %ld cells, to time %.6f\n", steps, side, side, time);
    printf("total energy %.6f, kinetic energy %.6f\n", last.energy, last.kinetic_energy);
    if (prints_speed) printf("%.3f million cells per second\n", (double)(side * side) * steps / seconds / 1e6);
    printf("check %s: mass, momentum and energy are %sconserved\n", passes ? "passed" : "failed", passes ? "" : "not ");
  }
  free_gas(&cells), free_gas(&flux_x), free_gas(&flux_y);
  return passes;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  side = argc > 1 ? atoi(argv[1]) : 64;
  const int steps = argc > 2 ? atoi(argv[2]) : 100;
  rows = side * (rank + 1) / ranks - side * rank / ranks;
  width = side + 2, count = (rows + 2) * width;
  if (side < ranks || side < 2 || side % 2 != 0 || steps < 1) {
    if (rank == 0)
      fprintf(stderr, "usage: hydro [N [STEPS [times]]], where N is even and at least the number of ranks\n");
    MPI_Finalize();
    return 2;
  }
  const int passes = run(steps, argc > 3 && strcmp(argv[3], "times") == 0);
  MPI_Finalize();
  return passes ? 0 : 1;
}
