// device_kind.hpp - tags of launches on objects and buffers that select devices: by kind or by driver.
//
//     STRETTO_KERNEL(negate, (inout<float> x), { x(global_id(0)) = -x(global_id(0)); })
//
//     void negate_four_times(const object<float>& x) {
//       launch(on(device_kind::gpu), negate, x.elements(), x);
//       launch(on(device_kind::gpu, device_kind::accelerator), negate, x.elements(), x);
//       launch(on(driver("opencl")), negate, x.elements(), x);
//       launch(on(device_kind::host), negate, x.elements(), x);  // the workers of this node
//     }
//
// Threads     tags are values.
#pragma once

#include <stretto/compiler.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto {

/// The kinds of devices that compute launches.
///
///   host                     the workers of this node
///   device                   any device
///   cpu, gpu, accelerator    a device of that kind, as its driver reports it. A processor that a driver offers as a
///                            device is a cpu, not the host. A simulated device is a gpu
enum class device_kind : std::uint8_t { host, device, cpu, gpu, accelerator };

/// The result of on(device_kind::...): a set of kinds, one bit each.
struct on_kinds {
  std::uint8_t are = 0;
  /// Whether the kind is in the set.
  constexpr bool has(device_kind k) const noexcept { return are >> static_cast<unsigned>(k) & 1; }
};
/// The tag `on(device_kind::gpu)` of a launch: a device of this kind, or of one of these kinds, computes it.
template <std::same_as<device_kind>... More>
constexpr on_kinds on(device_kind first, More... more) noexcept {
  return {
      static_cast<std::uint8_t>(1u << static_cast<unsigned>(first) | (0u | ... | (1u << static_cast<unsigned>(more))))};
}

/// The driver of a device: "cuda", "opencl" or "sim", as in option `devices`; "host" for the workers.
struct driver {
  /// The driver of that name. The text must outlive the call that it is for.
  constexpr explicit driver(std::string_view called) noexcept : name(called) {}
  std::string_view name;
};
/// The result of on(driver(...)).
struct on_driver {
  std::string_view name;
};
/// The tag `on(driver("opencl"))` of a launch: a device of this driver computes it.
constexpr on_driver on(driver d) noexcept { return {d.name}; }

}  // namespace stretto

STRETTO_API_END
