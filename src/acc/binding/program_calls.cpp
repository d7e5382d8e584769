#include "acc/program_calls.hpp"

#include <memory>
#include <ranges>
#include <span>
#include <stretto/error.hpp>
#include <utility>
#include <vector>

#include "acc/binding/queued_message.hpp"
#include "acc/gang_arguments.hpp"
#include "acc/guarded_call.hpp"
#include "acc/rank_context.hpp"
#include "ranks/binding/mpi_functions.hpp"
#include "ranks/heap/readonly_buffers.hpp"
#include "ranks/process/call_record.hpp"

namespace stretto::acc {
namespace {

using items = std::span<const stretto_acc_data>;

/// A call of the program that may wait for queues: a report of a hang says for which operations.
class waiting_call {
 public:
  ranks::call_details details() const { return {describe, this}; }
  rank_context& context() { return *(in_ = &rank_context::current()); }

 private:
  static void describe(const void* of, ranks::rank_state&, ranks::call_text& text) {
    if (rank_context* const in = static_cast<const waiting_call*>(of)->in_)
      text.arguments = in->queues().pending_text();
  }

  rank_context* in_ = nullptr;
};

/// With one memory nobody knows which queues use which data: outside of queues all of them end first.
void wait_for_users(rank_context& in, queue_number queue) {
  if (!queue && in.device().shares_host_memory()) in.queues().wait_for_all();
}

void enter(rank_context& in, items all, data_environment::scope scope, queue_number queue, const char* where) {
  if (in.device().shares_host_memory()) return;
  data_work work;
  for (const stretto_acc_data& one : all) in.data().enter(one, scope, queue, where, work);
  in.perform(queue, where, std::move(work));
}

/// The last one first: what points to data leaves ahead of it.
void leave(rank_context& in, items all, data_environment::scope scope, queue_number queue, const char* where) {
  wait_for_users(in, queue);
  if (in.device().shares_host_memory()) return;
  data_work work;
  for (const stretto_acc_data& one : all | std::views::reverse) in.data().leave(one, scope, queue, where, work);
  in.perform(queue, where, std::move(work));
}

void run(rank_context& in, const stretto_acc_launch& launch) {
  const queue_number queue = in.queue_of(launch.queue);
  const items all(launch.data, static_cast<std::size_t>(launch.data_count));
  wait_for_users(in, queue);
  const bool moves = !launch.is_on_host && !in.device().shares_host_memory();
  if (moves) enter(in, all, data_environment::scope::structured, queue, launch.where);
  data_environment* const data = moves ? &in.data() : nullptr;
  accelerator& on = moves || in.device().shares_host_memory() ? in.device() : in.host();
  data_work ahead;
  const auto launch_with = [&](gang_arguments& arguments) -> gang_launch {
    in.perform(queue, launch.where, std::move(ahead));
    return {launch.kernel, launch.device, launch.where, arguments, launch.gangs, launch.work};
  };
  if (queue) {
    const auto arguments = std::make_shared<gang_arguments>(launch, data, queue, ahead);
    const gang_launch gangs = launch_with(*arguments);
    in.queues().start(*queue, {"region", launch.where},
                      [&](std::span<const event> behind) { return on.start(gangs, arguments, behind); });
  } else {
    gang_arguments arguments(launch, data, queue, ahead);
    on.launch(launch_with(arguments));
  }
  if (moves) leave(in, all, data_environment::scope::structured, queue, launch.where);
}

}  // namespace
}  // namespace stretto::acc

using namespace stretto::acc;

void stretto_acc_run(const stretto_acc_launch* launch) {
  waiting_call here;
  const stretto::ranks::call_scope record("acc region", here.details());
  guarded([&] { run(here.context(), *launch); });
}

void stretto_acc_enter(const stretto_acc_data* data, long count, int queue, const char* where) {
  waiting_call here;
  const stretto::ranks::call_scope record("acc enter data", here.details());
  guarded([&] {
    rank_context& in = here.context();
    enter(in, {data, static_cast<std::size_t>(count)}, data_environment::scope::dynamic, in.queue_of(queue), where);
  });
}

void stretto_acc_exit(const stretto_acc_data* data, long count, int queue, const char* where) {
  waiting_call here;
  const stretto::ranks::call_scope record("acc exit data", here.details());
  guarded([&] {
    rank_context& in = here.context();
    leave(in, {data, static_cast<std::size_t>(count)}, data_environment::scope::dynamic, in.queue_of(queue), where);
  });
}

void stretto_acc_update(const stretto_acc_data* data, long count, int queue, const char* where) {
  waiting_call here;
  const stretto::ranks::call_scope record("acc update", here.details());
  guarded([&] {
    rank_context& in = here.context();
    const queue_number number = in.queue_of(queue);
    wait_for_users(in, number);
    if (in.device().shares_host_memory()) return;
    data_work work;
    for (const stretto_acc_data& one : items(data, static_cast<std::size_t>(count)))
      in.data().update(one, number, where, work);
    in.perform(number, where, std::move(work));
  });
}

stretto_acc_scope stretto_acc_open(const stretto_acc_data* data, long count, int queue, int condition,
                                   const char* where) {
  const stretto_acc_scope scope{condition ? data : nullptr, count, queue, where};
  waiting_call here;
  const stretto::ranks::call_scope record("acc data", here.details());
  if (condition)
    guarded([&] {
      rank_context& in = here.context();
      enter(in, {data, static_cast<std::size_t>(count)}, data_environment::scope::structured, in.queue_of(queue),
            where);
    });
  return scope;
}

void stretto_acc_close(stretto_acc_scope* scope) {
  if (!scope->data) return;
  waiting_call here;
  const stretto::ranks::call_scope record("acc end of data", here.details());
  guarded([&] {
    rank_context& in = here.context();
    leave(in, {scope->data, static_cast<std::size_t>(scope->count)}, data_environment::scope::structured,
          in.queue_of(scope->queue), scope->where);
  });
}

void* stretto_acc_use_device(void* host, int if_present, const char* name, const char* where) {
  return guarded([&]() -> void* {
    rank_context& in = rank_context::current();
    if (in.device().shares_host_memory() || !host) return host;
    auto* const address = static_cast<std::byte*>(host);
    if (!if_present) return in.data().present_address(address, name, where);
    std::byte* const found = in.data().device_of(address);
    return found ? found : host;
  });
}

void* stretto_acc_message_buffer(void* host, int queue, const char* where) {
  return guarded([&]() -> void* {
    rank_context& in = rank_context::current();
    if (in.device().shares_host_memory() || !host || host == MPI_IN_PLACE) return host;
    const queue_number number = in.queue_of(queue);
    data_work ahead;
    std::byte* const found = in.data().used_by_kernel(static_cast<std::byte*>(host), nullptr, number, ahead).address;
    in.perform(number, where, std::move(ahead));
    return found ? found : in.data().present_address(static_cast<std::byte*>(host), "a buffer", where);
  });
}

void* stretto_acc_readonly_buffer(const void* buffer, void** variable, int is_sent, const char* against,
                                  const char* where) {
  guarded([&] {
    rank_context& in = rank_context::current();
    const bool is_on_device =
        variable && !in.device().shares_host_memory() && in.data().device_of(static_cast<const std::byte*>(buffer));
    if (is_on_device) against = "the receive buffer is present on the device";
    if (against) stretto::ranks::report_copy(where, against);
    if (is_sent || !against)
      stretto::ranks::declare_readonly({buffer, is_sent != 0, against ? nullptr : variable, where});
  });
  return const_cast<void*>(buffer);
}

int stretto_acc_readonly_end(int result, const char* where) {
  stretto::ranks::end_readonly(where);
  return result;
}

void stretto_acc_message(int (*call)(const void*, void**), const void* arguments, unsigned long bytes, void** request,
                         int queue, const char* where) {
  guarded([&] {
    rank_context& in = rank_context::current();
    const queue_number number = in.queue_of(queue);
    std::vector<std::byte> copy(static_cast<const std::byte*>(arguments),
                                static_cast<const std::byte*>(arguments) + bytes);
    if (number) enqueue_message(in.queues(), *number, where, {call, std::move(copy)}, request);
    else call(arguments, request);
  });
}

void stretto_acc_wait(const int* queues, long count, int queue) {
  waiting_call here;
  const stretto::ranks::call_scope record("acc wait", here.details());
  guarded([&] {
    rank_context& in = here.context();
    const std::vector<int> all =
        count < 0 ? in.queues().numbers() : std::vector<int>(queues, queues + static_cast<std::size_t>(count));
    std::vector<int> numbers;
    for (const int one : all)
      if (const queue_number number = in.queue_of(one)) numbers.push_back(*number);
    if (const queue_number waiting = in.queue_of(queue)) return in.queues().make_wait(*waiting, numbers);
    for (const int one : numbers) in.queues().wait_for(one);
  });
}

void stretto_acc_init(int type, int number) {
  acc_init_device(number < 0 ? 0 : number, type < 0 ? acc_device_current : static_cast<acc_device_t>(type));
}

void stretto_acc_shutdown(int type, int number) {
  acc_shutdown_device(number < 0 ? 0 : number, type < 0 ? acc_device_current : static_cast<acc_device_t>(type));
}

void stretto_acc_set(int type, int number, int has_queue, int queue) {
  if (type >= 0) acc_set_device_type(static_cast<acc_device_t>(type));
  if (number >= 0) acc_set_device_num(number, acc_get_device_type());
  if (has_queue) acc_set_default_async(queue);
}

int stretto_acc_device_type() { return acc_get_device_type(); }

void stretto_acc_end() {
  guarded([] { rank_context::end_current(); });
}
