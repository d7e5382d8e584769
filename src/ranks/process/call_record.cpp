#include "ranks/process/call_record.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

#include "base/snapshot_read.hpp"

namespace stretto::ranks {
namespace {

struct address_range {
  std::uintptr_t begin = 0, end = 0;
};

int find_own_code(dl_phdr_info* object, std::size_t, void* found) {
  const auto own = reinterpret_cast<std::uintptr_t>(&find_own_code);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
    if (part.p_type != PT_LOAD || own < begin || own >= end) continue;
    *static_cast<address_range*>(found) = {begin, end};
    return 1;
  }
  return 0;
}

bool is_in_own_code(const void* address) {
  static const address_range own = [] {
    address_range found;
    ::dl_iterate_phdr(find_own_code, &found);
    return found;
  }();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return own.begin <= at && at < own.end;
}

/// A frame begins with the address of the next one and the address to which its function returns.
struct frame_entries {
  const void *next, *return_address;
};

/// The first return address outside of this library, whose frames come first. `read` returns the entries of a frame, or
/// nothing where there is none.
template <class Read>
const void* first_address_outside(const void* frame, Read read) {
  constexpr int most_frames = 16;
  for (int i = 0; i < most_frames; ++i) {
    const auto entries = read(frame);
    if (!entries) return nullptr;
    if (!is_in_own_code(entries->return_address)) return entries->return_address;
    frame = entries->next;
  }
  return nullptr;
}

}  // namespace

constinit thread_local const call_record* innermost_call = nullptr;

const void* return_address_of(const call_record& call) {
  const void* const address =
      first_address_outside(call.frame, [](const void* frame) { return base::snapshot_copy<frame_entries>(frame); });
  Dl_info found{};
  return address && ::dladdr(address, &found) ? address : nullptr;  // without frame pointers there is anything
}

const void* own_return_address(const call_record& call) {
  return first_address_outside(call.frame, [](const void* frame) { return static_cast<const frame_entries*>(frame); });
}

}  // namespace stretto::ranks
