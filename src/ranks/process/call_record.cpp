#include "ranks/process/call_record.hpp"

#include <dlfcn.h>

#include "base/snapshot_read.hpp"

namespace stretto::ranks {

constinit thread_local const call_record* innermost_call = nullptr;

// The frames of functions of this library come first. A frame begins with the address of the next one and the address
// to which its function returns.
const void* return_address_of(const call_record& call) {
  constexpr int most_frames = 16;
  Dl_info library{}, found{};
  if (!::dladdr(reinterpret_cast<const void*>(&return_address_of), &library)) return nullptr;
  const void* frame = call.frame;
  for (int i = 0; i < most_frames; ++i) {
    struct frame_entries {
      const void *next, *return_address;
    };
    const base::snapshot_copy<frame_entries> entries(frame);
    if (!entries || !::dladdr(entries->return_address, &found)) return nullptr;
    if (found.dli_fbase != library.dli_fbase) return entries->return_address;
    frame = entries->next;
  }
  return nullptr;
}

}  // namespace stretto::ranks
