// Tasks and messages start regions of a queue, and the queue starts tasks. Prints what is wrong.
#include <stretto_acc/queue_event.hpp>
#include <stretto_mpi/request_event.hpp>

#include <cstdio>
#include <numeric>
#include <stretto/future.hpp>
#include <stretto/task.hpp>
#include <vector>

extern "C" {
void enter_array(double* x, int n);
void scale_array(double* x, int n, double by, int queue);
void refresh_array(double* x, int n, int queue);
void leave_array(double* x, int n, int queue);
}

using namespace stretto;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = 1000, next = (rank + 1) % size, previous = (rank + size - 1) % size;
  std::vector<double> x(n, 0), sent(n, rank + 1);
  enter_array(x.data(), n);

  MPI_Request requests[2];
  MPI_Irecv(x.data(), n, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, &requests[0]);
  make_queue_wait(1, event_of(requests[0]));  // the queue gets the message's values
  refresh_array(x.data(), n, 1);
  scale_array(x.data(), n, 2, 1);
  leave_array(x.data(), n, 1);
  const event over = event_of_queue(1);
  auto sum = async(after(over), [&] { return std::accumulate(x.begin(), x.end(), 0.0); });
  MPI_Isend(sent.data(), n, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]);
  const double expected = 2.0 * n * (previous + 1), got = sum.get();
  if (got != expected) std::printf("rank %d: the sum is %g, not %g\n", rank, got, expected);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
