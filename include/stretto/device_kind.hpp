// device_kind.hpp - tags of launches on objects and buffers that say what computes them.
//
//     launch(on(device_kind::gpu), jacobi, inside, u, v, 0.1f);
//     launch(on(device_kind::gpu, device_kind::accelerator), jacobi, inside, u, v, 0.1f);
//     launch(on(driver("opencl")), jacobi, inside, u, v, 0.1f);
//     launch(on(device_kind::host), jacobi, inside, u, v, 0.1f);              // the workers of this node
//
// Threads     tags are values.
#pragma once

#include <stretto/compiler.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto {

/// What computes: the workers of this node, or a device; any, or what its driver says that it is. A processor that a
/// driver shows as a device is a cpu, not the host. A simulated device is a gpu.
enum class device_kind : std::uint8_t { host, device, cpu, gpu, accelerator };

/// Several kinds, by bits.
struct on_kinds {
  std::uint8_t are = 0;
  constexpr bool has(device_kind k) const noexcept { return are >> static_cast<unsigned>(k) & 1; }
};
/// The tag `on(device_kind::gpu)`: of that kind, whichever; on(device_kind::gpu, device_kind::accelerator): of any of
/// these.
template <std::same_as<device_kind>... More>
constexpr on_kinds on(device_kind first, More... more) noexcept {
  return {
      static_cast<std::uint8_t>(1u << static_cast<unsigned>(first) | (0u | ... | (1u << static_cast<unsigned>(more))))};
}

/// Who drives a device: "cuda", "opencl", "sim", as option `devices` calls them; "host" for the workers.
struct driver {
  constexpr explicit driver(std::string_view called) noexcept : name(called) {}
  std::string_view name;
};
struct on_driver {
  std::string_view name;
};
/// The tag `on(driver("opencl"))`: a device of that driver, whichever.
constexpr on_driver on(driver d) noexcept { return {d.name}; }

}  // namespace stretto

STRETTO_API_END
