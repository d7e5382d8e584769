#include "acc/binding/queued_message.hpp"

#include <memory>
#include <stretto_mpi/request_event.hpp>
#include <utility>

#include "acc/queue_task.hpp"
#include "ranks/binding/arguments.hpp"
#include "ranks/binding/mpi_functions.hpp"
#include "ranks/binding/status.hpp"
#include "ranks/messages/shared_copy.hpp"

namespace stretto::acc {
namespace {

/// The request that the program gets: a message between its call in the program and its end.
struct queued_request final : ranks::request {
  explicit queued_request(message_call made);

  message_call call;
  MPI_Request own = MPI_REQUEST_NULL;  // of the call
};

void destroy_queued(completion& one) noexcept { delete &static_cast<queued_request&>(one); }
std::string describe_queued(const completion&) { return "a message in a queue"; }
void cancel_nothing(ranks::request&) {}

const ranks::request_kind kind_of_queued{
    {destroy_queued, describe_queued}, nullptr, cancel_nothing, nullptr, nullptr, nullptr};

queued_request::queued_request(message_call made) : request(kind_of_queued), call(std::move(made)) {}

void end_with(queued_request& one, int result, const MPI_Status& status) {
  one.status = ranks::read_status(status);
  one.status.error = static_cast<ranks::error_class>(result);
  one.end();
}

/// Waits for the request of the call.
void end(queued_request& one) {
  MPI_Status status{};
  const int result = ::PMPI_Wait(&one.own, &status);
  end_with(one, result, status);
}

/// The call of a message, which is made once. If the queue fails ahead of it, the program's request ends with an error.
class message_start {
 public:
  explicit message_start(queued_request& one) noexcept : one_(&one) {}
  message_start(const message_start&) = delete;
  ~message_start() {
    if (one_) end_with(*one_, MPI_ERR_OTHER, {});
  }

  void make() {
    queued_request& one = *std::exchange(one_, nullptr);
    const int result = one.call.make(one.call.arguments.data(), reinterpret_cast<void**>(&one.own));
    if (result != MPI_SUCCESS || one.own == MPI_REQUEST_NULL) return end_with(one, result, {});
    ranks::request& own = ranks::existing_request(one.own);
    if (own.is_done()) return end(one);
    // A task that waits for a large message copies a part of it.
    const event ended = ranks::can_help_with_copy(own) ? event() : event_of(one.own);
    start_queue_task({&ended, 1}, [&one] { end(one); });
  }

 private:
  queued_request* one_;
};

}  // namespace

void enqueue_message(activity_queues& queues, int queue, const char* where, message_call call, void** request) {
  if (!request) {
    queues.enqueue(queue, {"message", where}, [call = std::move(call)] { call.make(call.arguments.data(), nullptr); });
    return;
  }
  ranks::request_owner made(new queued_request(std::move(call)));
  auto& one = static_cast<queued_request&>(*made);
  one.activate();
  const event ended = ranks::event_of(one);
  *request = ranks::handle_of(std::move(made));
  queues.enqueue_message(queue, where, [start = std::make_shared<message_start>(one)] { start->make(); }, ended);
}

}  // namespace stretto::acc
