// threads_and_accesses.c - two ranks, one of which receives on a thread, write to a window and to a file.
#include <mpi.h>
#include <pthread.h>

enum { tag = 5, count = 1000 };

static int data[count];

static void* receive(void* unused) {
  (void)unused;
  MPI_Recv(data, count, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // line of the thread
  return NULL;
}

static void receive_on_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, receive, NULL);
  pthread_join(thread, NULL);
}

static void write_to_window(int rank) {
  int memory[count];
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  if (rank == 0) MPI_Put(data, count, MPI_INT, 1, 0, count, MPI_INT, window);  // line of the put
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void write_to_file(int rank) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "accesses.data", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof data, data, count, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < 2; ++round) {
    if (rank == 0) MPI_Send(data, count, MPI_INT, 1, tag, MPI_COMM_WORLD);
    if (rank == 1) receive_on_thread();
  }
  write_to_window(rank);
  write_to_file(rank);
  MPI_Finalize();
  return 0;
}
