#include "acc/host_accelerator.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stretto/finish.hpp>
#include <stretto/platform.hpp>
#include <stretto/task.hpp>

#include "acc/gang_arguments.hpp"
#include "sched/scheduler.hpp"
#include "sched/worker.hpp"
#include "trace/recorder.hpp"

namespace stretto::acc {
namespace {

/// Operations that take about as long as it takes to hand a task to another worker.
constexpr long least_work_of_tasks = 4096;

constexpr std::size_t page = 4096;

std::size_t rounded(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

using gang_function = void (*)(void**, long, long);

struct gang_range {
  long first, last;
};

/// The part of the gangs that the n-th of several tasks runs.
gang_range part_of(const gang_range& gangs, long n, long tasks) {
  const long each = (gangs.last - gangs.first) / tasks, more = (gangs.last - gangs.first) % tasks;
  const long first = gangs.first + n * each + std::min(n, more);
  return {first, first + each + (n < more ? 1 : 0)};
}

/// How many gangs share the work of a region that does not say so. If all workers are busy, there are more of them, so
/// that a worker which becomes idle meanwhile can take some.
long gangs_of(long work, long workers, bool may_share) {
  if (work > 0 && work < least_work_of_tasks) return 1;
  return work <= 0 || may_share ? workers : std::min(work / least_work_of_tasks, 4 * workers);
}

void record_gangs(const sched::thread_state& by, trace::ticks start) {
  by.ring->push({.start = start,
                 .end = trace::clock::now(),
                 .id = by.current_id,
                 .name = by.owner->recorder->names().intern("gangs of a region"),
                 .place = by.as_worker->paths.pop->front(),
                 .kind = trace::kind::kernel});
}

/// A kernel does not suspend its task.
void run_gangs(gang_function kernel, void** arguments, const gang_range& part, long gangs) {
  const sched::thread_state* const here = sched::this_thread();
  const bool is_traced = here && here->as_worker && here->every_span;
  const trace::ticks start = is_traced ? trace::clock::now() : 0;
  for (long gang = part.first; gang < part.last; ++gang) kernel(arguments, gang, gangs);
  if (is_traced) record_gangs(*here, start);
}

/// The memory of the system.
std::size_t bytes_of_host() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

host_accelerator::host_accelerator(bool is_discrete)
    : is_discrete_(is_discrete), facts_{.memory_bytes = bytes_of_host(), .shares_memory = !is_discrete} {}

place host_accelerator::memory() const {
  const platform& machine = this_machine();
  return machine.nearest(machine.home(0), place_kind::system_memory).value_or(place());
}

// Each block ends where a page ends that nobody may access, so that a kernel which runs over its end crashes there; so
// does one that uses a block after its release.
std::byte* host_accelerator::allocate(std::size_t bytes) noexcept {
  const std::size_t size = rounded(bytes, alignof(std::max_align_t)), pages = rounded(size, page) + page;
  void* const memory = ::mmap(nullptr, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const end = static_cast<std::byte*>(memory) + pages - page;
  ::mprotect(end, page, PROT_NONE);
  std::memset(end - size, 0xa5, size);  // as on other devices: anything but the values of the host
  const std::scoped_lock lock(mutex_);
  blocks_[end - size] = {static_cast<std::byte*>(memory), pages};
  allocated_ += pages;
  return end - size;
}

void host_accelerator::release(std::byte* memory) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = blocks_.find(memory);
  if (found == blocks_.end()) return;
  allocated_ -= found->second.bytes;
  ::munmap(found->second.first, found->second.bytes);
  blocks_.erase(found);
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

void host_accelerator::launch(const gang_launch& l) { run(l.kernel, l.arguments.pointers(), l.gangs, l.work); }

void host_accelerator::run(gang_function kernel, void** arguments, long gangs, long work) {
  const sched::thread_state* const here = sched::this_thread();
  const long workers = here && here->owner ? static_cast<long>(here->owner->workers.size()) : 1;
  const auto may_share = [&] { return workers > 1 && here->owner->may_have_idle_worker(); };
  if (gangs <= 0) gangs = gangs_of(work, workers, may_share());
  if (gangs == 1 || workers == 1) return run_gangs(kernel, arguments, {0, gangs}, gangs);
  // While all workers have something to do, as where there are more ranks than workers, tasks would gain nothing.
  gang_range rest{0, gangs};
  for (; rest.first < gangs && !may_share(); ++rest.first)
    run_gangs(kernel, arguments, {rest.first, rest.first + 1}, gangs);
  const long tasks = std::min(rest.last - rest.first, workers);
  if (tasks == 0) return;
  if (tasks == 1) return run_gangs(kernel, arguments, rest, gangs);
  finish([&] {
    for (long n = 1; n < tasks; ++n)
      async(name("gangs"), [=] { run_gangs(kernel, arguments, part_of(rest, n, tasks), gangs); });
    // This worker neither pushes nor pops for a while: idle workers then take what is public without its reply.
    if (here->as_worker) here->as_worker->default_queue->publish();
    run_gangs(kernel, arguments, part_of(rest, 0, tasks), gangs);
  });
}

}  // namespace stretto::acc
