// aligned_memory.hpp - buffers for direct access to files.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "transfer.hpp"

namespace stretto {

struct free_memory {
  void operator()(std::byte* p) const noexcept { std::free(p); }
};
using aligned_memory = std::unique_ptr<std::byte, free_memory>;

/// `bytes` is a multiple of direct_alignment. Throws std::bad_alloc.
inline aligned_memory make_aligned(std::size_t bytes) {
  aligned_memory made(static_cast<std::byte*>(std::aligned_alloc(direct_alignment, bytes)));
  if (!made) throw std::bad_alloc();
  return made;
}

}  // namespace stretto
