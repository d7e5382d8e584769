#include <stretto_acc/queue_event.hpp>

#include <stretto/task.hpp>

#include "acc/rank_context.hpp"

namespace stretto {

event event_of_queue(int queue, std::source_location where) {
  acc::rank_context& in = acc::rank_context::current();
  const acc::queue_number number = in.queue_of(queue);
  return number ? in.queues().end_of(*number, where) : event();
}

void make_queue_wait(int queue, event until, std::source_location where) {
  acc::rank_context& in = acc::rank_context::current();
  const acc::queue_number number = in.queue_of(queue);
  if (number) in.queues().make_wait(*number, until);
  else wait(until, where);
}

}  // namespace stretto
