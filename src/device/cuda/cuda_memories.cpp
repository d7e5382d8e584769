#include "device/cuda/cuda_memories.hpp"

#include <map>
#include <mutex>
#include <shared_mutex>

#include "base/process_wide.hpp"

namespace stretto::device::cuda {

namespace {

struct range {
  const std::byte* first;
  CUcontext context;
  std::ptrdiff_t distance;  // to the driver's address
};
struct table {
  std::shared_mutex mutex;
  std::map<const std::byte*, range> by_end;
};
table& all() {
  // a device in a global variable is closed after function-local statics
  static table& one = base::make_process_wide<table>();
  return one;
}

}  // namespace

void registered_memory::note(const std::byte* first, std::uint64_t bytes, CUcontext context, std::byte* driver_first) {
  std::scoped_lock lock(all().mutex);
  all().by_end[first + bytes] = {first, context, driver_first - first};
  end_ = first + bytes;
}

registered_memory::~registered_memory() {
  if (!end_) return;
  std::scoped_lock lock(all().mutex);
  all().by_end.erase(end_);
}

located locate(std::byte* address) noexcept {
  std::shared_lock lock(all().mutex);
  const auto after = all().by_end.upper_bound(address);
  if (after == all().by_end.end() || address < after->second.first) return {address, nullptr};
  return {address + after->second.distance, after->second.context};
}

}  // namespace stretto::device::cuda
