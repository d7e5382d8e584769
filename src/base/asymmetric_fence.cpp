#include "base/asymmetric_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace stretto::base::asymmetric {

bool by_kernel = false;
std::atomic<unsigned> shared_word{0};

bool prepare() noexcept {
  // A function-local static: the first runtime of the process decides, before any thread relies on it.
  static const bool registered = !thread_sanitizer &&
                                 syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 &&
                                 (by_kernel = true);
  return registered;
}

void heavy() noexcept {
  shared_word.fetch_add(0, std::memory_order_seq_cst);
  if (by_kernel) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

}  // namespace stretto::base::asymmetric
