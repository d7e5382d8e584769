#include "acc/binding/queued_message.hpp"

#include <memory>
#include <utility>

#include "ranks/binding/mpi_functions.hpp"

namespace stretto::acc {
namespace {

/// A message between its call in the program and its end.
struct pending_message {
  message_call call;
  MPI_Request own = MPI_REQUEST_NULL;  // of the call
  MPI_Request of_program = MPI_REQUEST_NULL;
  MPI_Status status = {};
  int result = MPI_SUCCESS;
};

using message = std::shared_ptr<pending_message>;

int give_status(void* state, MPI_Status* status) {
  const pending_message& of = **static_cast<message*>(state);
  *status = of.status;
  return of.result;
}

int forget(void* state) {
  delete static_cast<message*>(state);
  return MPI_SUCCESS;
}

int cancel_nothing(void*, int) { return MPI_SUCCESS; }

void end(pending_message& one) {
  if (one.result == MPI_SUCCESS) one.result = ::PMPI_Wait(&one.own, &one.status);
  ::PMPI_Grequest_complete(one.of_program);
}

}  // namespace

void enqueue_message(activity_queues& queues, int queue, const char* where, message_call call, void** request) {
  if (!request) {
    queues.enqueue(queue, {"message", where}, [call = std::move(call)] { call.make(call.arguments.data(), nullptr); });
    return;
  }
  auto one = std::make_shared<pending_message>(pending_message{.call = std::move(call)});
  ::PMPI_Grequest_start(give_status, forget, cancel_nothing, new message(one), &one->of_program);
  *request = one->of_program;
  queues.enqueue_message(
      queue, where,
      [one] { one->result = one->call.make(one->call.arguments.data(), reinterpret_cast<void**>(&one->own)); },
      [one] { end(*one); });
}

}  // namespace stretto::acc
