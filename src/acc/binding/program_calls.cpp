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

namespace stretto::acc {
namespace {

using items = std::span<const stretto_acc_data>;

/// With one memory nobody knows which queues use which data: outside of queues all of them end first.
void wait_for_users(rank_context& in, queue_number queue) {
  if (!queue && in.device().shares_host_memory()) in.queues().wait_for_all();
}

void enter(rank_context& in, items all, data_environment::scope scope, queue_number queue, const char* where) {
  if (in.device().shares_host_memory()) return;
  data_work work;
  for (const stretto_acc_data& one : all) in.data().enter(one, scope, queue, where, work);
  in.perform(queue, std::move(work));
}

/// The last one first: what points to data leaves ahead of it.
void leave(rank_context& in, items all, data_environment::scope scope, queue_number queue, const char* where) {
  wait_for_users(in, queue);
  if (in.device().shares_host_memory()) return;
  data_work work;
  for (const stretto_acc_data& one : all | std::views::reverse) in.data().leave(one, scope, queue, where, work);
  in.perform(queue, std::move(work));
}

void run(const stretto_acc_launch& launch) {
  rank_context& in = rank_context::current();
  const queue_number queue = in.queue_of(launch.queue);
  const items all(launch.data, static_cast<std::size_t>(launch.data_count));
  wait_for_users(in, queue);
  const bool moves = !launch.is_on_host && !in.device().shares_host_memory();
  if (moves) enter(in, all, data_environment::scope::structured, queue, launch.where);
  data_work ahead;
  auto arguments = std::make_shared<gang_arguments>(launch, moves ? &in.data() : nullptr, queue, ahead);
  in.perform(queue, std::move(ahead));
  accelerator& on = moves || in.device().shares_host_memory() ? in.device() : in.host();
  const gang_launch gangs{launch.kernel, launch.device, launch.where, *arguments, launch.gangs, launch.work};
  if (queue)
    in.queues().start(*queue, [&](std::span<const event> behind) { return on.start(gangs, arguments, behind); });
  else on.launch(gangs);
  if (moves) leave(in, all, data_environment::scope::structured, queue, launch.where);
}

}  // namespace
}  // namespace stretto::acc

using namespace stretto::acc;

void stretto_acc_run(const stretto_acc_launch* launch) {
  guarded([&] { run(*launch); });
}

void stretto_acc_enter(const stretto_acc_data* data, long count, int queue, const char* where) {
  guarded([&] {
    rank_context& in = rank_context::current();
    enter(in, {data, static_cast<std::size_t>(count)}, data_environment::scope::dynamic, in.queue_of(queue), where);
  });
}

void stretto_acc_exit(const stretto_acc_data* data, long count, int queue, const char* where) {
  guarded([&] {
    rank_context& in = rank_context::current();
    leave(in, {data, static_cast<std::size_t>(count)}, data_environment::scope::dynamic, in.queue_of(queue), where);
  });
}

void stretto_acc_update(const stretto_acc_data* data, long count, int queue, const char* where) {
  guarded([&] {
    rank_context& in = rank_context::current();
    const queue_number number = in.queue_of(queue);
    wait_for_users(in, number);
    if (in.device().shares_host_memory()) return;
    data_work work;
    for (const stretto_acc_data& one : items(data, static_cast<std::size_t>(count)))
      in.data().update(one, number, where, work);
    in.perform(number, std::move(work));
  });
}

stretto_acc_scope stretto_acc_open(const stretto_acc_data* data, long count, int queue, int condition,
                                   const char* where) {
  const stretto_acc_scope scope{condition ? data : nullptr, count, queue, where};
  if (condition)
    guarded([&] {
      rank_context& in = rank_context::current();
      enter(in, {data, static_cast<std::size_t>(count)}, data_environment::scope::structured, in.queue_of(queue),
            where);
    });
  return scope;
}

void stretto_acc_close(stretto_acc_scope* scope) {
  if (!scope->data) return;
  guarded([&] {
    rank_context& in = rank_context::current();
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
    in.perform(number, std::move(ahead));
    return found ? found : in.data().present_address(static_cast<std::byte*>(host), "a buffer", where);
  });
}

void stretto_acc_message(int (*call)(const void*, void**), const void* arguments, unsigned long bytes, void** request,
                         int queue, const char*) {
  guarded([&] {
    rank_context& in = rank_context::current();
    const queue_number number = in.queue_of(queue);
    std::vector<std::byte> copy(static_cast<const std::byte*>(arguments),
                                static_cast<const std::byte*>(arguments) + bytes);
    if (number) enqueue_message(in.queues(), *number, {call, std::move(copy)}, request);
    else call(arguments, request);
  });
}

void stretto_acc_wait(const int* queues, long count, int queue) {
  guarded([&] {
    rank_context& in = rank_context::current();
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

void stretto_acc_end() {
  guarded([] { rank_context::end_current(); });
}
