// tasks_of_ranks.cpp - tasks, events, buffers, kernels and mobile objects in a program of ranks.
#include <stretto/stretto.hpp>
#include <stretto_mpi/request_event.hpp>
#include <vector>

#include "check.h"

using namespace stretto;

namespace {

int rank, size;

int number_of(int sender, int message) { return 1000 * sender + message; }

void messages_start_tasks() {
  constexpr int count = 50;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  std::vector<int> received(count), sent(count);
  std::vector<MPI_Request> requests(count);
  std::vector<future<int>> doubled;
  for (int i = 0; i < count; ++i) {
    MPI_Irecv(&received[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    doubled.push_back(async(after(event_of(requests[i])), [&received, i] { return 2 * received[i]; }));
  }
  const auto start = user_event::create();
  std::vector<future<void>> sends;
  for (int i = count - 1; i >= 0; --i) {
    sent[i] = number_of(rank, i);
    sends.push_back(
        async(after(start), [&sent, i, right] { MPI_Send(&sent[i], 1, MPI_INT, right, i, MPI_COMM_WORLD); }));
  }
  for (const auto& one : doubled) CHECK(!one.is_ready());
  MPI_Barrier(MPI_COMM_WORLD);
  start.trigger();
  for (int i = 0; i < count; ++i) CHECK_EQUAL(doubled[i].get(), 2 * number_of(left, i));
  for (const auto& one : sends) one.get();
  CHECK_CALL(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE));
}

void requests_without_operation() {
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK(event_of(request).has_triggered());
  int number = 0;
  MPI_Recv_init(&number, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request);
  CHECK(event_of(request).has_triggered());
  MPI_Start(&request);
  const event received = event_of(request);
  CHECK(!received.has_triggered());
  MPI_Send(&rank, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
  wait(received);
  CHECK_CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_EQUAL(number, rank);
  MPI_Request_free(&request);
}

void a_request_freed_before_its_event() {
  int number = -1;
  MPI_Request request;
  MPI_Irecv(&number, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, &request);
  const event received = event_of(request);
  MPI_Request_free(&request);
  MPI_Send(&rank, 1, MPI_INT, rank, 6, MPI_COMM_WORLD);
  wait(received);
  CHECK_EQUAL(number, rank);
}

void a_receive_that_fails() {
  int numbers[2] = {7, 8}, number = 0;
  MPI_Request request;
  MPI_Irecv(&number, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &request);
  const event received = event_of(request);
  MPI_Send(numbers, 2, MPI_INT, rank, 9, MPI_COMM_WORLD);
  wait(received);
  CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
}

void a_collective() {
  int sum = 0;
  MPI_Request request;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  CHECK_EQUAL(async(after(event_of(request)), [&] { return sum; }).get(), size * (size - 1) / 2);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

STRETTO_KERNEL(doubled_numbers, (out<int> x, int first), {
  const int i = global_id(0);
  x(i) = 2 * (first + i);
})

void a_buffer_and_a_message() {  // of one rank at a time: nodes make the same calls on buffers in the same order
  if (rank == 0) {
    buffer<int> numbers(box(0, 100));
    launch(doubled_numbers, box(0, 100), numbers(one_to_one), 7);
    const auto read = numbers.read();
    async(after(read), [read] {
      const auto view = read.get().view();
      MPI_Send(&view(0), 100, MPI_INT, size - 1, 10, MPI_COMM_WORLD);
    });
  }
  if (rank == size - 1) {
    std::vector<int> numbers(100);
    MPI_Recv(numbers.data(), 100, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i) CHECK_EQUAL(numbers[i], 2 * (7 + i));
  }
}

struct counter {
  long sum = 0;
  int rank_of_handler = -1;
  long add(int by) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_handler);
    return sum += by;
  }
  template <class Archive>
  friend void fields(Archive& a, archived<counter, Archive>& c) {
    a(c.sum, c.rank_of_handler);
  }
};

void a_mobile_object() {
  const mobile<counter> mine = make_mobile<counter>();
  for (int i = 1; i < 10; ++i) send(mine, call<&counter::add>(i));
  CHECK_EQUAL(send(mine, call<&counter::add>(10)).get(), 55);
  destroy(mine).get();
}

void other_objects() {
  const auto lock = reservation::create();
  long sum = 0;
  finish([&] {
    for (int i = 0; i < 100; ++i) lock.release(async(after(lock.acquire()), [&sum, i] { sum += i; }));
  });
  CHECK_EQUAL(sum, 4950);
}

}  // namespace

int main() {
  begin_checks();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  messages_start_tasks();
  requests_without_operation();
  a_request_freed_before_its_event();
  a_receive_that_fails();
  a_collective();
  a_buffer_and_a_message();
  a_mobile_object();
  other_objects();
  return end_checks();
}
