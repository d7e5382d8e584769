// opencl_kernels.c - the loops of kernels.c as kernels of OpenCL C, written and launched by hand.
#include <math.h>

#include "opencl_device.h"

enum { items_of_group = 64 };

static const char* const source =
    "kernel void stencil(global double* restrict to, global const double* restrict from, long n) {\n"
    "  long i = get_global_id(1) + 1, j = get_global_id(0) + 1;\n"
    "  to[i * n + j] =\n"
    "      0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);\n"
    "}\n"
    "kernel void product(global const double* restrict a, global const double* restrict b,\n"
    "                    global double* restrict c, long n) {\n"
    "  long i = get_global_id(1), j = get_global_id(0);\n"
    "  double sum = 0;\n"
    "  for (long k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];\n"
    "  c[i * n + j] = sum;\n"
    "}\n"
    // The first item adds up the sums of its group.
    "void add_group(local double* own, double x, global double* sums) {\n"
    "  own[get_local_id(0)] = x;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (get_local_id(0) == 0) {\n"
    "    double all = 0;\n"
    "    for (int i = 0; i < get_local_size(0); ++i) all += own[i];\n"
    "    sums[get_group_id(0)] = all;\n"
    "  }\n"
    "}\n"
    "kernel void sum(global const double* restrict a, long n, global double* restrict sums) {\n"
    "  local double own[64];\n"
    "  double found = 0;\n"
    "  for (long i = get_global_id(0); i < n; i += get_global_size(0)) found += a[i];\n"
    "  add_group(own, found, sums);\n"
    "}\n"
    "ulong product_of(ulong a, ulong b) { return a * b & ((1UL << 46) - 1); }\n"
    "ulong state_at(ulong i) {\n"
    "  ulong result = 271828183, factor = 1220703125;\n"
    "  for (; i > 0; i >>= 1) {\n"
    "    if (i & 1) result = product_of(result, factor);\n"
    "    factor = product_of(factor, factor);\n"
    "  }\n"
    "  return result;\n"
    "}\n"
    "kernel void pairs(global double* restrict x_sums, global double* restrict y_sums, int log2_of_batch) {\n"
    "  local double own[64];\n"
    "  double x = 0, y = 0;\n"
    "  ulong state = state_at(get_global_id(0) << (log2_of_batch + 1));\n"
    "  for (int i = 0; i < 1 << log2_of_batch; ++i) {\n"
    "    state = product_of(state, 1220703125);\n"
    "    double a = 2.0 * ((double)state / (double)(1UL << 46)) - 1.0;\n"
    "    state = product_of(state, 1220703125);\n"
    "    double b = 2.0 * ((double)state / (double)(1UL << 46)) - 1.0;\n"
    "    double square = a * a + b * b;\n"
    "    if (square <= 1) {\n"
    "      double scale = sqrt(-2 * log(square) / square);\n"
    "      x += a * scale, y += b * scale;\n"
    "    }\n"
    "  }\n"
    "  add_group(own, x, x_sums);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  add_group(own, y, y_sums);\n"
    "}\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "kernel void count(volatile global long* counts) {\n"
    "  atom_add(&counts[get_global_id(0) * 2654435761 >> 8 & 63], 1L);\n"
    "}\n"
    "kernel void add(global double* c, global const double* a, global const double* b, long n) {\n"
    "  long i = get_global_id(0);\n"
    "  if (i < n) c[i] = a[i] + b[i];\n"
    "}\n";

static cl_program program;

static cl_kernel kernel_of(const char* name) {
  cl_int status = CL_SUCCESS;
  if (!program) {
    const char* text = source;
    program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram");
  }
  const cl_kernel made = clCreateKernel(program, name, &status);
  check(status, "clCreateKernel");
  return made;
}

static void set_argument(cl_kernel of, cl_uint index, size_t bytes, const void* value) {
  check(clSetKernelArg(of, index, bytes, value), "clSetKernelArg");
}

static void launch_items(cl_kernel kernel, cl_uint axes, const size_t* items, const size_t* group) {
  check(clEnqueueNDRangeKernel(queue, kernel, axes, NULL, items, group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

static cl_mem buffer_with(const double* values, long count) {
  const cl_mem made = buffer_of((size_t)count * sizeof *values);
  write_buffer(made, values, (size_t)count * sizeof *values);
  return made;
}

static cl_mem buffer_filled(double value, long count) {
  double* const values = array_of(count);
  for (long i = 0; i < count; ++i) values[i] = value;
  const cl_mem made = buffer_with(values, count);
  free(values);
  return made;
}

/// The last element. Releases the buffer.
static double last_of(cl_mem buffer, long count) {
  double found = 0;
  check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, (size_t)(count - 1) * sizeof found, sizeof found, &found, 0, NULL,
                            NULL),
        "clEnqueueReadBuffer");
  clReleaseMemObject(buffer);
  return found;
}

static double stencil(long n) {
  enum { sweeps = 40 };
  const cl_kernel kernel = kernel_of("stencil");
  const cl_mem plates[2] = {buffer_filled(1, n * n), buffer_filled(1, n * n)};
  const size_t items[] = {(size_t)n - 2, (size_t)n - 2};
  set_argument(kernel, 2, sizeof n, &n);
  double start = 0;
  for (int k = -1; k < sweeps; ++k) {
    if (k == 0) start = seconds_now();
    set_argument(kernel, 0, sizeof(cl_mem), &plates[k & 1]);
    set_argument(kernel, 1, sizeof(cl_mem), &plates[~k & 1]);
    launch_items(kernel, 2, items, NULL);
    check(clFinish(queue), "clFinish");
  }
  const double seconds = seconds_now() - start;
  expect("a plate of one temperature", last_of(plates[0], n * n) == 1 && last_of(plates[1], n * n) == 1);
  clReleaseKernel(kernel);
  return 1e3 * seconds / sweeps;
}

static double product(long n) {
  const cl_kernel kernel = kernel_of("product");
  const cl_mem a = buffer_filled(0.5, n * n), b = buffer_filled(2, n * n), c = buffer_filled(0, n * n);
  const size_t items[] = {(size_t)n, (size_t)n};
  set_argument(kernel, 0, sizeof a, &a);
  set_argument(kernel, 1, sizeof b, &b);
  set_argument(kernel, 2, sizeof c, &c);
  set_argument(kernel, 3, sizeof n, &n);
  const double start = seconds_now();
  launch_items(kernel, 2, items, NULL);
  check(clFinish(queue), "clFinish");
  const double seconds = seconds_now() - start;
  expect("an element of the product", last_of(c, n * n) == (double)n);
  clReleaseMemObject(a), clReleaseMemObject(b), clReleaseKernel(kernel);
  return 1e3 * seconds;
}

/// Adds up the sums of all groups.
static double total_of(cl_mem sums, size_t groups) {
  double values[1024], total = 0;
  expect("so many groups", groups <= sizeof values / sizeof *values);
  read_buffer(values, sums, groups * sizeof *values);
  for (size_t i = 0; i < groups; ++i) total += values[i];
  return total;
}

static double sum(long n) {
  enum { turns = 20, groups = 16 };
  const cl_kernel kernel = kernel_of("sum");
  const cl_mem a = buffer_filled(0.5, n), sums = buffer_of(groups * sizeof(double));
  const size_t items = groups * items_of_group, group = items_of_group;
  set_argument(kernel, 0, sizeof a, &a);
  set_argument(kernel, 1, sizeof n, &n);
  set_argument(kernel, 2, sizeof sums, &sums);
  double total = 0;
  const double start = seconds_now();
  for (int k = 0; k < turns; ++k) {
    launch_items(kernel, 1, &items, &group);
    total += total_of(sums, groups);
  }
  const double seconds = seconds_now() - start;
  expect("the sum", total == 0.5 * turns * (double)n);
  clReleaseMemObject(a), clReleaseMemObject(sums), clReleaseKernel(kernel);
  return 1e3 * seconds / turns;
}

static double random_pairs(long log2_of_pairs) {
  const int log2_of_batch = 10;
  const size_t items = (size_t)1 << (log2_of_pairs - log2_of_batch), group = items_of_group, groups = items / group;
  const cl_kernel kernel = kernel_of("pairs");
  const cl_mem x_sums = buffer_of(groups * sizeof(double)), y_sums = buffer_of(groups * sizeof(double));
  set_argument(kernel, 0, sizeof x_sums, &x_sums);
  set_argument(kernel, 1, sizeof y_sums, &y_sums);
  set_argument(kernel, 2, sizeof log2_of_batch, &log2_of_batch);
  const double start = seconds_now();
  launch_items(kernel, 1, &items, &group);
  const double x = total_of(x_sums, groups), y = total_of(y_sums, groups);
  const double seconds = seconds_now() - start;
  if (log2_of_pairs == 24) expect("the sums", fabs(x + 3247.834652034740) < 1e-6 && fabs(y + 6958.407078382297) < 1e-6);
  clReleaseMemObject(x_sums), clReleaseMemObject(y_sums), clReleaseKernel(kernel);
  return 1e3 * seconds;
}

static double histogram(long n) {
  enum { turns = 5, buckets = 64 };
  const cl_kernel kernel = kernel_of("count");
  long counts[buckets] = {0};
  const cl_mem on_device = buffer_of(sizeof counts);
  write_buffer(on_device, counts, sizeof counts);
  const size_t items = (size_t)n;
  set_argument(kernel, 0, sizeof on_device, &on_device);
  const double start = seconds_now();
  for (int k = 0; k < turns; ++k) {
    launch_items(kernel, 1, &items, NULL);
    check(clFinish(queue), "clFinish");
  }
  const double seconds = seconds_now() - start;
  read_buffer(counts, on_device, sizeof counts);
  long total = 0;
  for (int i = 0; i < buckets; ++i) total += counts[i];
  expect("the number of additions", total == turns * n);
  clReleaseMemObject(on_device), clReleaseKernel(kernel);
  return 1e3 * seconds / turns;
}

static double launch(long n) {
  enum { turns = 2000 };
  const cl_kernel kernel = kernel_of("add");
  const cl_mem a = buffer_filled(1, n), b = buffer_filled(1, n), c = buffer_filled(1, n);
  const size_t items = (size_t)n;
  double start = 0;
  for (int k = -turns / 10; k < turns; ++k) {
    if (k == 0) start = seconds_now();
    set_argument(kernel, 0, sizeof c, &c);
    set_argument(kernel, 1, sizeof a, &a);
    set_argument(kernel, 2, sizeof b, &b);
    set_argument(kernel, 3, sizeof n, &n);
    launch_items(kernel, 1, &items, NULL);
    check(clFinish(queue), "clFinish");
  }
  const double seconds = seconds_now() - start;
  expect("elements", last_of(c, n) == 2);
  clReleaseMemObject(a), clReleaseMemObject(b), clReleaseKernel(kernel);
  return 1e6 * seconds / turns;
}

/// Microseconds of a copy between two buffers, by a command or through mapped memory.
static double copy_time(long bytes, int is_mapped) {
  const int turns = bytes < 65536 ? 400 : bytes < 1 << 22 ? 60 : 8;
  const long count = (bytes + 7) / 8;
  const size_t size = (size_t)bytes;
  const cl_mem from = buffer_filled(7, count), to = buffer_filled(0, count);
  cl_int status[2];
  const void* const read = clEnqueueMapBuffer(queue, from, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &status[0]);
  void* const written = clEnqueueMapBuffer(queue, to, CL_TRUE, CL_MAP_WRITE, 0, size, 0, NULL, NULL, &status[1]);
  check(status[0], "clEnqueueMapBuffer"), check(status[1], "clEnqueueMapBuffer");
  const double start = seconds_now();
  for (int i = 0; i < turns; ++i) {
    if (is_mapped) memcpy(written, read, size);
    else check(clEnqueueCopyBuffer(queue, from, to, 0, 0, size, 0, NULL, NULL), "clEnqueueCopyBuffer");
    if (!is_mapped) check(clFinish(queue), "clFinish");
  }
  const double seconds = seconds_now() - start;
  clEnqueueUnmapMemObject(queue, from, (void*)read, 0, NULL, NULL);
  clEnqueueUnmapMemObject(queue, to, written, 0, NULL, NULL);
  expect("the data of a copy", last_of(to, count) == 7);
  clReleaseMemObject(from);
  return 1e6 * seconds / turns;
}

static double copy(long bytes) { return copy_time(bytes, 0); }
static double copy_mapped(long bytes) { return copy_time(bytes, 1); }

static const struct benchmark benchmarks[] = {{"acc_stencil", "ms", "lower", 1024, stencil},
                                              {"acc_product", "ms", "lower", 512, product},
                                              {"acc_sum", "ms", "lower", 1 << 22, sum},
                                              {"acc_pairs", "ms", "lower", 24, random_pairs},
                                              {"acc_histogram", "ms", "lower", 1 << 18, histogram},
                                              {"acc_launch", "us", "lower", 16, launch},
                                              {"acc_device_device_copy", "us", "lower", 64, copy},
                                              {"acc_device_device_mapped", "us", "lower", 64, copy_mapped}};

int main(int argc, char** argv) {
  open_device();
  return run_benchmark(benchmarks, sizeof benchmarks / sizeof *benchmarks, argc, argv, 1);
}
