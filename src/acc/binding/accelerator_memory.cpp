#include <stretto_acc/accelerator_memory.hpp>

#include "acc/rank_context.hpp"

namespace stretto {

place accelerator_memory() { return acc::rank_context::current().device().memory(); }

native_memory native_memory_of(void* device_address) {
  return acc::rank_context::current().device().named_by_driver(static_cast<std::byte*>(device_address));
}

}  // namespace stretto
