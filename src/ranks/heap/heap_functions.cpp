#include "ranks/heap/heap_functions.hpp"

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "ranks/heap/heap_blocks.hpp"

namespace stretto::ranks {
namespace {

std::byte* bytes_at(void* address) { return static_cast<std::byte*>(address); }

void* entered(void* made, std::size_t bytes) {
  if (made && bytes >= heap_blocks::least_bytes) blocks_of_process().add(bytes_at(made), bytes);
  return made;
}

void* allocate(std::size_t bytes) { return entered(std::malloc(bytes), bytes); }

void* allocate_zeros(std::size_t count, std::size_t each) { return entered(std::calloc(count, each), count * each); }

void* allocate_aligned(std::size_t alignment, std::size_t bytes) {
  return entered(::aligned_alloc(alignment, bytes), bytes);
}

int allocate_aligned_at(void** into, std::size_t alignment, std::size_t bytes) {
  const int failed = ::posix_memalign(into, alignment, bytes);
  if (failed == 0) entered(*into, bytes);
  return failed;
}

void release(void* address) {
  const auto ended = blocks_of_process().release(bytes_at(address));
  std::free(ended.was_held ? ended.unused : address);
}

/// Of a block that others hold, too, the caller gets a copy.
void* reallocate(void* address, std::size_t bytes) {
  const auto held = blocks_of_process().find(bytes_at(address));
  if (held && (held->block_holds > 1 || held->block != address)) {
    void* const made = allocate(bytes);
    if (!made) return nullptr;
    std::memcpy(made, address, std::min(bytes, held->bytes));
    release(address);
    return made;
  }
  if (held) blocks_of_process().release(bytes_at(address));
  void* const made = std::realloc(address, bytes);
  if (made) return entered(made, bytes);
  if (held && bytes > 0) entered(address, held->bytes);  // it is still there
  return nullptr;
}

void* reallocate_array(void* address, std::size_t count, std::size_t each) {
  std::size_t bytes = 0;
  if (!__builtin_mul_overflow(count, each, &bytes)) return reallocate(address, bytes);
  errno = ENOMEM;
  return nullptr;
}

std::size_t usable_size(void* address) {
  const auto held = blocks_of_process().find(bytes_at(address));
  return held ? held->bytes : ::malloc_usable_size(address);
}

template <class Function>
void* address_of(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

const stretto_replacement* heap_replacements() noexcept {
  static const stretto_replacement all[] = {{"malloc", address_of(allocate)},
                                            {"calloc", address_of(allocate_zeros)},
                                            {"aligned_alloc", address_of(allocate_aligned)},
                                            {"memalign", address_of(allocate_aligned)},
                                            {"posix_memalign", address_of(allocate_aligned_at)},
                                            {"realloc", address_of(reallocate)},
                                            {"reallocarray", address_of(reallocate_array)},
                                            {"free", address_of(release)},
                                            {"cfree", address_of(release)},
                                            {"malloc_usable_size", address_of(usable_size)},
                                            {nullptr, nullptr}};
  return all;
}

}  // namespace stretto::ranks
