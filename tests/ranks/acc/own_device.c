/* Prints what each rank has as its device, and the sum of numbers that regions there compute. */
#include <mpi.h>
#include <openacc.h>
#include <stdio.h>

enum { n = 1000 };

static const char* name_of(acc_device_t type) {
  switch (type) {
    case acc_device_host: return "host";
    case acc_device_nvidia: return "nvidia";
    case acc_device_not_host: return "not_host";
    default: return "another";
  }
}

static long sum_on_device(int rank) {
  long x[n], sum = 0;
#pragma acc data create(x)
  {
#pragma acc parallel loop num_gangs(7)
    for (int i = 0; i < n; ++i) x[i] = rank + i;
#pragma acc parallel loop reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += x[i];
  }
  return sum;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  acc_set_device_num(rank, acc_device_not_host);
  const acc_device_t type = acc_get_device_type();
  printf("%d/%d %s %s, devices %d %d %d, number %d, sum %ld\n", rank, size, name_of(type),
         acc_get_property_string(0, type, acc_property_name), acc_get_num_devices(acc_device_host),
         acc_get_num_devices(acc_device_not_host), acc_get_num_devices(acc_device_nvidia), acc_get_device_num(type),
         sum_on_device(rank));
  if (acc_get_property(0, type, acc_property_memory) < acc_get_property(0, type, acc_property_free_memory)) return 1;
  MPI_Finalize();
  return 0;
}
