// messages.c - messages between memories of ranks with OpenACC: the directive `acc mpi` names memory of the device.
#include "message_benchmarks.h"

struct endpoint {
  char* bytes;
  long count;
  int is_on_device;
};

static struct endpoint* make_endpoint(long bytes, int is_on_device) {
  struct endpoint* const one = malloc(sizeof *one);
  expect("no memory", one != NULL);
  one->bytes = (char*)array_of((bytes + 7) / 8), one->count = bytes, one->is_on_device = is_on_device;
  char* const data = one->bytes;
  memset(data, 0, (size_t)bytes);
#pragma acc enter data copyin(data[0 : bytes]) if (is_on_device)
  return one;
}

static void free_endpoint(struct endpoint* one) {
  char* const data = one->bytes;
#pragma acc exit data delete (data[0 : one->count]) if (one->is_on_device)
  free(data), free(one);
}

static void send_from(struct endpoint* from, int to_rank) {
  char* const data = from->bytes;
  const int count = (int)from->count;
  if (from->is_on_device) {
#pragma acc mpi sendbuf(device)
    MPI_Send(data, count, MPI_BYTE, to_rank, 0, MPI_COMM_WORLD);
  } else {
    MPI_Send(data, count, MPI_BYTE, to_rank, 0, MPI_COMM_WORLD);
  }
}

static void receive_into(struct endpoint* to, int from_rank) {
  char* const data = to->bytes;
  const int count = (int)to->count;
  if (to->is_on_device) {
#pragma acc mpi recvbuf(device)
    MPI_Recv(data, count, MPI_BYTE, from_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(data, count, MPI_BYTE, from_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void set_bytes(struct endpoint* of, char value) {
  char* const data = of->bytes;
  const long count = of->count;
  memset(data, value, (size_t)count);
#pragma acc update device(data[0 : count]) if (of -> is_on_device)
}

static char last_byte(struct endpoint* of) {
  char* const data = of->bytes;
  const long count = of->count;
#pragma acc update host(data[count - 1 : 1]) if (of -> is_on_device)
  return data[count - 1];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int result = run_message_benchmarks(argc, argv);
  MPI_Finalize();
  return result;
}
