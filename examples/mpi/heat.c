// heat.c - an MPI program: heat spreads over a plate, each rank computes a part of it, and rank 0 draws the plate.
//
// The ranks form a grid (MPI_Cart_create). Before each step, a rank exchanges the borders of its part with its four
// neighbours; a column is an MPI_Type_vector. Rank 0 receives the parts into the plate as MPI_Type_create_subarray, and
// computes the same steps alone, to compare. Any MPI compiles and runs this file, and so does Stretto:
//
//     stretto cc -O2 heat.c -o heat && STRETTO_RANKS=16 ./heat [SIDE [STEPS [PICTURE]]]
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// Rows and columns of cells, with one more cell on each side, which a neighbour or nobody computes.
typedef struct {
  int rows, columns;
  int first_row, first_column;  // of the plate, the cell in the corner of this field
  double *now, *next;
} field;

static double* cell(const field* f, double* values, int row, int column) {
  return values + (size_t)row * (f->columns + 2) + column;
}

// Discs and a ring that are kept hot or cold, in units of the plate's side. Returns whether the cell is in one.
static int is_kept(int row, int column, int side, double* temperature) {
  static const double discs[][4] = {// row, column, radius, temperature
                                    {0.27, 0.25, 0.07, 1.0},
                                    {0.78, 0.30, 0.05, 0.9},
                                    {0.30, 0.76, 0.04, 0.0},
                                    {0.83, 0.86, 0.06, 0.0}};
  const double y = (row + 0.5) / side, x = (column + 0.5) / side;
  for (int i = 0; i < 4; ++i) {
    if (hypot(y - discs[i][0], x - discs[i][1]) > discs[i][2]) continue;
    *temperature = discs[i][3];
    return 1;
  }
  *temperature = 1.0;
  const double ring = hypot(y - 0.60, x - 0.63);
  return ring > 0.14 && ring < 0.16;
}

static void* memory(size_t count, size_t bytes) {
  void* const allocated = calloc(count, bytes);
  if (allocated) return allocated;
  fprintf(stderr, "heat: there is no memory for a field\n");
  MPI_Abort(MPI_COMM_WORLD, 1);
  return NULL;
}

static field make_field(int first_row, int rows, int first_column, int columns, int side) {
  field f = {rows, columns, first_row, first_column, NULL, NULL};
  const size_t cells = (size_t)(rows + 2) * (columns + 2);
  f.now = memory(cells, sizeof(double));
  f.next = memory(cells, sizeof(double));
  for (int row = 0; row < rows + 2; ++row)
    for (int column = 0; column < columns + 2; ++column) {
      double temperature;
      if (!is_kept(first_row + row - 1, first_column + column - 1, side, &temperature)) temperature = 0.35;
      *cell(&f, f.now, row, column) = *cell(&f, f.next, row, column) = temperature;
    }
  return f;
}

static void free_field(field* f) {
  free(f->now);
  free(f->next);
}

// One step; the change of all cells, squared and added. A cell of the plate's edge keeps its temperature.
static double relax(field* f, const char* kept) {
  double change = 0;
  for (int row = 1; row <= f->rows; ++row) {
    const double *above = cell(f, f->now, row - 1, 0), *here = cell(f, f->now, row, 0);
    const double* below = cell(f, f->now, row + 1, 0);
    double* next = cell(f, f->next, row, 0);
    for (int i = 1; i <= f->columns; ++i) {
      const double middle = 0.25 * ((above[i] + below[i]) + (here[i - 1] + here[i + 1]));
      next[i] = kept[(size_t)(row - 1) * f->columns + i - 1] ? here[i] : middle;
      change += (next[i] - here[i]) * (next[i] - here[i]);
    }
  }
  double* const before = f->now;
  f->now = f->next;
  f->next = before;
  return change;
}

static char* kept_cells(const field* f, int side) {
  char* const kept = memory((size_t)f->rows * f->columns, 1);
  double temperature;
  for (int row = 0; row < f->rows; ++row)
    for (int column = 0; column < f->columns; ++column)
      kept[(size_t)row * f->columns + column] =
          (char)is_kept(f->first_row + row, f->first_column + column, side, &temperature);
  return kept;
}

// The ranks above, below, to the left and to the right; none at the edge of the plate.
typedef struct {
  int above, below, left, right;
  MPI_Comm grid;
  MPI_Datatype row, column;
} neighbours;

static void exchange_borders(field* f, const neighbours* near) {
  MPI_Request all[8];
  double* const v = f->now;
  const int rows = f->rows, columns = f->columns;
  MPI_Irecv(cell(f, v, 0, 1), 1, near->row, near->above, 0, near->grid, &all[0]);
  MPI_Irecv(cell(f, v, rows + 1, 1), 1, near->row, near->below, 1, near->grid, &all[1]);
  MPI_Irecv(cell(f, v, 1, 0), 1, near->column, near->left, 2, near->grid, &all[2]);
  MPI_Irecv(cell(f, v, 1, columns + 1), 1, near->column, near->right, 3, near->grid, &all[3]);
  MPI_Isend(cell(f, v, rows, 1), 1, near->row, near->below, 0, near->grid, &all[4]);
  MPI_Isend(cell(f, v, 1, 1), 1, near->row, near->above, 1, near->grid, &all[5]);
  MPI_Isend(cell(f, v, 1, columns), 1, near->column, near->right, 2, near->grid, &all[6]);
  MPI_Isend(cell(f, v, 1, 1), 1, near->column, near->left, 3, near->grid, &all[7]);
  MPI_Waitall(8, all, MPI_STATUSES_IGNORE);
}

static int begin_of(int part, int parts, int cells) { return (int)((long)cells * part / parts); }

// The part of the rank at these coordinates, of a plate of side x side cells.
static void part_of(const int* at, const int* parts, int side, int* first, int* size) {
  for (int axis = 0; axis < 2; ++axis) {
    first[axis] = begin_of(at[axis], parts[axis], side);
    size[axis] = begin_of(at[axis] + 1, parts[axis], side) - first[axis];
  }
}

// Rank 0 gets all parts, each into its place of the plate.
static void gather(const field* mine, MPI_Comm grid, const int* parts, int side, double* plate) {
  int rank, ranks;
  MPI_Comm_rank(grid, &rank);
  MPI_Comm_size(grid, &ranks);
  const int stored[2] = {mine->rows + 2, mine->columns + 2}, inner[2] = {mine->rows, mine->columns};
  const int corner[2] = {1, 1}, whole[2] = {side, side};
  MPI_Datatype part;
  MPI_Request sent;
  MPI_Type_create_subarray(2, stored, inner, corner, MPI_ORDER_C, MPI_DOUBLE, &part);
  MPI_Type_commit(&part);
  MPI_Isend(mine->now, 1, part, 0, 4, grid, &sent);
  for (int from = 0; rank == 0 && from < ranks; ++from) {
    int at[2], first[2], size[2];
    MPI_Datatype place;
    MPI_Cart_coords(grid, from, 2, at);
    part_of(at, parts, side, first, size);
    MPI_Type_create_subarray(2, whole, size, first, MPI_ORDER_C, MPI_DOUBLE, &place);
    MPI_Type_commit(&place);
    MPI_Recv(plate, 1, place, from, 4, grid, MPI_STATUS_IGNORE);
    MPI_Type_free(&place);
  }
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Type_free(&part);
}

// The largest difference between the plate and one that this rank computes alone.
static double difference_from_serial(const double* plate, int side, int steps) {
  field all = make_field(0, side, 0, side, side);
  char* const kept = kept_cells(&all, side);
  for (int step = 0; step < steps; ++step) relax(&all, kept);
  double largest = 0;
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column)
      largest = fmax(largest, fabs(plate[(size_t)row * side + column] - *cell(&all, all.now, row + 1, column + 1)));
  free(kept);
  free_field(&all);
  return largest;
}

// From blue (0) over black (0.35) to red, yellow and white (1); a darker line between two tenths.
static void colour_of(double temperature, unsigned char* pixel) {
  const double warm = (temperature - 0.35) / 0.65, cold = (0.35 - temperature) / 0.35;
  const double shade = fabs(temperature * 10 - floor(temperature * 10) - 0.5) < 0.05 ? 0.75 : 1.0;
  const double red = fmin(1, fmax(0, 2.6 * warm)), green = fmin(1, fmax(fmax(0, 2.2 * warm - 0.7), 0.55 * cold));
  const double blue = fmin(1, fmax(fmax(0, 3.0 * warm - 2.0), 0.2 * fmax(0, warm) + 1.3 * fmax(0, cold)));
  pixel[0] = (unsigned char)(255 * shade * red);
  pixel[1] = (unsigned char)(255 * shade * green);
  pixel[2] = (unsigned char)(255 * shade * blue);
}

// A picture of the plate (Netpbm, P6), with grey lines where parts of ranks meet. Returns whether it was written.
static int draw(const double* plate, int side, const int* parts, const char* name) {
  FILE* const file = fopen(name, "wb");
  if (!file) return 0;
  unsigned char* const pixels = memory((size_t)side * side, 3);
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column)
      colour_of(plate[(size_t)row * side + column], pixels + 3 * ((size_t)row * side + column));
  for (int axis = 0; axis < 2; ++axis)
    for (int part = 1; part < parts[axis]; ++part)
      for (int i = 0; i < side; ++i) {
        const size_t line = begin_of(part, parts[axis], side),
                     at = axis == 0 ? line * side + i : i * (size_t)side + line;
        for (int colour = 0; colour < 3; ++colour)
          pixels[3 * at + colour] = (unsigned char)(pixels[3 * at + colour] / 2 + 64);
      }
  const int written = fprintf(file, "P6\n%d %d\n255\n", side, side) > 0 &&
                      fwrite(pixels, 3, (size_t)side * side, file) == (size_t)side * side;
  free(pixels);
  return fclose(file) == 0 && written;
}

// All steps of this rank; rank 0 prints five times how much the plate changed in a step.
static void compute(field* f, const neighbours* near, int side, int steps) {
  int rank;
  MPI_Comm_rank(near->grid, &rank);
  char* const kept = kept_cells(f, side);
  const int every = steps < 5 ? 1 : steps / 5;
  for (int step = 1; step <= steps; ++step) {
    exchange_borders(f, near);
    const double change = relax(f, kept);
    if (step % every != 0) continue;
    double total = 0;
    MPI_Reduce(&change, &total, 1, MPI_DOUBLE, MPI_SUM, 0, near->grid);
    if (rank == 0) printf("step %5d   change %.3e\n", step, sqrt(total) / side);
  }
  free(kept);
}

// Compares, draws and prints, on rank 0. Returns the exit code.
static int finish(const double* plate, int side, int steps, const int* parts, const char* picture) {
  const double difference = difference_from_serial(plate, side, steps);
  const int is_same = difference == 0;
  if (is_same) printf("the same as computed by one rank alone, to the last bit\n");
  else printf("NOT the same as computed by one rank alone: a cell differs by %.3e\n", difference);
  if (draw(plate, side, parts, picture)) return is_same ? 0 : 1;
  perror(picture);
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int side = argc > 1 ? atoi(argv[1]) : 480, steps = argc > 2 ? atoi(argv[2]) : 2000;
  const char* const picture = argc > 3 ? argv[3] : "heat.ppm";
  int ranks, rank, code = 0, parts[2] = {0, 0}, at[2], first[2], size[2];
  const int periodic[2] = {0, 0};
  neighbours near;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, parts);
  if (side < parts[0] || side < parts[1] || steps < 0) {
    fprintf(stderr, "heat: the side must be at least %d cells, and the steps a count\n", parts[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Cart_create(MPI_COMM_WORLD, 2, parts, periodic, 1, &near.grid);
  MPI_Comm_rank(near.grid, &rank);
  MPI_Cart_coords(near.grid, rank, 2, at);
  MPI_Cart_shift(near.grid, 0, 1, &near.above, &near.below);
  MPI_Cart_shift(near.grid, 1, 1, &near.left, &near.right);
  part_of(at, parts, side, first, size);
  field mine = make_field(first[0], size[0], first[1], size[1], side);
  MPI_Type_contiguous(mine.columns, MPI_DOUBLE, &near.row);
  MPI_Type_vector(mine.rows, 1, mine.columns + 2, MPI_DOUBLE, &near.column);
  MPI_Type_commit(&near.row);
  MPI_Type_commit(&near.column);

  if (rank == 0) printf("a plate of %d x %d cells, %d x %d ranks\n", side, side, parts[0], parts[1]);
  const double started = MPI_Wtime();
  compute(&mine, &near, side, steps);
  double* const plate = rank == 0 ? memory((size_t)side * side, sizeof(double)) : NULL;
  gather(&mine, near.grid, parts, side, plate);
  if (rank == 0) {
    printf("%d steps in %.3f s\n", steps, MPI_Wtime() - started);
    code = finish(plate, side, steps, parts, picture);
  }
  free(plate);
  free_field(&mine);
  MPI_Type_free(&near.row);
  MPI_Type_free(&near.column);
  MPI_Comm_free(&near.grid);
  MPI_Finalize();
  return code;
}
