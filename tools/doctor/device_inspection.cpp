#include "device/backend.hpp"
#include "doctor/inspection.hpp"

namespace stretto::doctor {

std::vector<device_found> find_devices() {
  constexpr std::uint64_t enough_to_see = 1 << 20;  // bytes: it is opened, not used
  std::vector<device_found> all;
  for (const device::backend& b : device::all_backends()) {
    if (b.is_simulated) continue;
    device::open_options how;
    how.memory_bytes = enough_to_see;
    for (const device::opened_device& f : b.find(how)) {
      device_found d;
      d.kind = b.name;
      d.name = f.name;
      d.reason = f.reason;
      d.remedy = f.remedy;
      if (f.is) {
        d.is_usable = true;
        d.memory = f.is->about().whole_memory_bytes;
        d.units = f.is->about().compute_units;
        d.has_double = f.is->about().has_double;
      }
      all.push_back(std::move(d));
    }
  }
  return all;
}

}  // namespace stretto::doctor
