#include "sched/stack.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <stretto/error.hpp>
#include <string>

#include "base/address_space.hpp"
#include "base/sanitizers.hpp"

namespace stretto::sched {
namespace {

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// How many memory mappings stacks may use. Some are left for the heap, without which not even an error can be thrown.
std::size_t most_mappings() {
  static const std::size_t most = [] {
    std::size_t allowed = 65530;  // the kernel's default
    std::ifstream("/proc/sys/vm/max_map_count") >> allowed;
    return allowed / 8 * 7;
  }();
  return most;
}

}  // namespace

stack* stack_pool::make() {
  const auto page = page_bytes();
  const auto bytes = (std::max(bytes_, 4 * page) + page - 1) / page * page;
  const bool is_left = 2 * made_ < most_mappings() && base::may_map(bytes + stack_guard_bytes);
  constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  void* memory = is_left ? mmap(nullptr, bytes + stack_guard_bytes, PROT_READ | PROT_WRITE, kind, -1, 0) : MAP_FAILED;
  if (memory == MAP_FAILED || mprotect(memory, stack_guard_bytes, PROT_NONE) != 0) {
    if (memory != MAP_FAILED) munmap(memory, bytes + stack_guard_bytes);
    throw error("S11", "the system has no memory for another task stack")
        .fact("stacks", std::to_string(made_) + " of " + std::to_string(bytes / 1024) + " KiB")
        .because("every suspended task keeps a stack, and a guarded stack costs two memory mappings")
        .remedy("suspend fewer tasks at once (coroutines need no stack), or raise vm.max_map_count or ulimit -v");
  }
  auto* base = static_cast<std::byte*>(memory) + stack_guard_bytes;
  auto* s = new (base + bytes - sizeof(stack)) stack;
  s->base = base;
  s->bytes = bytes - sizeof(stack);
  s->older = newest_;
  newest_ = s;
  return s;
}

std::size_t stack_pool::offset_of_newest() noexcept { return offsetof(stack_pool, newest_); }

void stack_pool::prepare(stack* s, void (*entry)()) noexcept {
  base::unpoison(s->base, s->bytes);
  if (!s->sanitizer) s->sanitizer = base::stack_switch::make_fiber();
  s->entry = prepare_stack(s->base, s->bytes, entry);
}

stack* stack_pool::take(void (*entry)()) {
  stack* s = nullptr;
  {
    std::scoped_lock lock(mutex_);
    if (idle_) {
      s = idle_;
      idle_ = s->next;
    } else {
      if (made_ >= most_)
        throw error("S11", "too many tasks are suspended at once: " + std::to_string(made_))
            .because("every suspended task keeps a stack, and the option max_suspended limits their number")
            .remedy("suspend fewer tasks at once (coroutines need no stack), or raise STRETTO_MAX_SUSPENDED");
      s = make();
      ++made_;
    }
  }
  s->next = nullptr;
  prepare(s, entry);
  return s;
}

void stack_pool::give(stack* s) noexcept {
  std::scoped_lock lock(mutex_);
  s->next = idle_;
  idle_ = s;
}

stack_pool::~stack_pool() {
  while (stack* s = idle_) {
    idle_ = s->next;
    base::stack_switch::destroy_fiber(s->sanitizer);
    // The memory may be reused soon, and the sanitizer must not take it for old frames.
    base::unpoison(s->base, s->bytes);
    munmap(s->base - stack_guard_bytes, stack_guard_bytes + s->bytes + sizeof(stack));
  }
}

}  // namespace stretto::sched
