#include "acc/host_accelerator.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stretto/finish.hpp>
#include <stretto/task.hpp>

#include "sched/scheduler.hpp"
#include "sched/worker.hpp"

namespace stretto::acc {
namespace {

struct gang_range {
  long first, last;
};

/// The part of the gangs that the n-th of several tasks runs.
gang_range part_of(long gangs, long n, long tasks) {
  const long each = gangs / tasks, more = gangs % tasks;
  const long first = n * each + std::min(n, more);
  return {first, first + each + (n < more ? 1 : 0)};
}

void run_gangs(gang_function kernel, void** arguments, const gang_range& part, long gangs) {
  for (long gang = part.first; gang < part.last; ++gang) kernel(arguments, gang, gangs);
}

}  // namespace

std::byte* host_accelerator::allocate(std::size_t bytes) noexcept {
  auto* const memory = static_cast<std::byte*>(std::malloc(std::max<std::size_t>(bytes, 1)));
  if (!memory) return nullptr;
  allocated_ += ::malloc_usable_size(memory);
  std::memset(memory, 0xa5, bytes);  // as on other devices: anything but the values of the host
  return memory;
}

void host_accelerator::release(std::byte* memory) noexcept {
  allocated_ -= ::malloc_usable_size(memory);
  std::free(memory);
}

void host_accelerator::copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) {
  std::memcpy(device, host, bytes);
}
void host_accelerator::copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) {
  std::memcpy(host, device, bytes);
}
void host_accelerator::copy_within(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memmove(to, from, bytes);
}
void host_accelerator::clear(std::byte* device, std::size_t bytes) { std::memset(device, 0, bytes); }

void host_accelerator::launch(gang_function kernel, void** arguments, long gangs) {
  const sched::thread_state* const here = sched::this_thread();
  const long workers = here && here->owner ? static_cast<long>(here->owner->workers.size()) : 1;
  if (gangs <= 0) gangs = workers;
  const long tasks = std::min(gangs, workers);
  if (tasks <= 1) return run_gangs(kernel, arguments, {0, gangs}, gangs);
  finish([&] {
    for (long n = 1; n < tasks; ++n)
      async(name("gangs"), [=] { run_gangs(kernel, arguments, part_of(gangs, n, tasks), gangs); });
    run_gangs(kernel, arguments, part_of(gangs, 0, tasks), gangs);
  });
}

}  // namespace stretto::acc
