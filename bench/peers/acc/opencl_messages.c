// opencl_messages.c - the same messages by hand: memory of the device is read into the host's, and written from it.
#include "message_benchmarks.h"
#include "opencl_device.h"

struct endpoint {
  char* bytes;
  size_t count;
  cl_mem on_device;  // null: there is none
};

static struct endpoint* make_endpoint(long bytes, int is_on_device) {
  struct endpoint* const one = malloc(sizeof *one);
  expect("no memory", one != NULL);
  one->bytes = (char*)array_of((bytes + 7) / 8), one->count = (size_t)bytes;
  one->on_device = is_on_device ? buffer_of(one->count) : NULL;
  return one;
}

static void free_endpoint(struct endpoint* one) {
  if (one->on_device) clReleaseMemObject(one->on_device);
  free(one->bytes), free(one);
}

static void send_from(struct endpoint* from, int to_rank) {
  if (from->on_device) read_buffer(from->bytes, from->on_device, from->count);
  MPI_Send(from->bytes, (int)from->count, MPI_BYTE, to_rank, 0, MPI_COMM_WORLD);
}

static void receive_into(struct endpoint* to, int from_rank) {
  MPI_Recv(to->bytes, (int)to->count, MPI_BYTE, from_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (to->on_device) write_buffer(to->on_device, to->bytes, to->count);
}

static void set_bytes(struct endpoint* of, char value) {
  memset(of->bytes, value, of->count);
  if (of->on_device) write_buffer(of->on_device, of->bytes, of->count);
}

static char last_byte(struct endpoint* of) {
  if (of->on_device) read_buffer(of->bytes, of->on_device, of->count);
  return of->bytes[of->count - 1];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  open_device();
  const int result = run_message_benchmarks(argc, argv);
  MPI_Finalize();
  return result;
}
