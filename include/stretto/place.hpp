// place.hpp - places: handles of the cores, caches, memories and devices of a platform, and their descriptions.
//
//     void print_gpus(const platform& machine) {
//       for (const place gpu : machine.places(place_kind::gpu)) {
//         const place_description& is = machine.about(gpu);
//         std::printf("%s, a %s", is.name.c_str(), std::string(to_string(is.kind)).c_str());
//         if (is.capacity_bytes) std::printf(" of %llu bytes", (unsigned long long)*is.capacity_bytes);
//         std::puts("");
//       }
//     }
//
// Threads     values: copy, compare and hash them from any thread.
// Cost        a place is an index of four bytes; its platform has its name and properties.
// Invariants  a default-made place is invalid and equal only to other invalid places.
// Source      places: the locality graph of HiPER/hclib; roles, memories and affinities: the Realm paper.
#pragma once

#include <stretto/compiler.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// The kinds of places. core to system_memory are ordered from the processor outwards; default paths of workers follow
/// this order.
enum class place_kind : std::uint8_t {
  core,
  l1,
  l2,
  l3,
  l4,
  l5,
  numa,
  package,
  system_memory,
  pinned_memory,
  gpu,
  gpu_memory,
  global_memory,
  interconnect,
  storage,
  other
};
/// The number of kinds of places.
inline constexpr std::size_t place_kind_count = static_cast<std::size_t>(place_kind::other) + 1;

/// The name of a kind in files and messages: "core", "l2", "system_memory".
std::string_view to_string(place_kind kind) noexcept;

/// The kind with this name; nothing if there is none.
std::optional<place_kind> place_kind_named(std::string_view word) noexcept;

/// A node of the platform graph: a core, cache, memory, device or store of this machine. Means something only with its
/// platform.
struct place {
  static constexpr std::uint32_t none = 0xffffffffu;  // the index of an invalid place
  std::uint32_t index = none;                         // the position in platform_description::places

  /// Whether it names a place.
  constexpr explicit operator bool() const noexcept { return index != none; }
  friend constexpr auto operator<=>(const place&, const place&) = default;
};

/// The properties of a place. All but name and kind are optional; an absent one is unknown.
struct place_description {
  std::string name;                                  // 1 to 255 bytes, unique in its platform
  place_kind kind = place_kind::other;               // other: none of the known kinds
  std::optional<std::uint64_t> capacity_bytes;       // of a memory, cache or store
  std::vector<std::uint32_t> cpus;                   // OS numbers of the hardware threads of a core
  std::optional<std::uint32_t> device_index;         // number given by the OS or driver: NUMA node, GPU
  std::optional<double> bandwidth_bytes_per_second;  // of a copy from this memory to itself by one core
  std::optional<double> latency_seconds;             // to hand a cache line over between cores that meet here

  friend bool operator==(const place_description&, const place_description&) = default;
};

/// A link between two adjacent places, without a direction.
struct place_link {
  place a, b;                                        // the two ends
  std::optional<double> bandwidth_bytes_per_second;  // absent if unknown
  std::optional<double> latency_seconds;             // absent if unknown

  friend bool operator==(const place_link&, const place_link&) = default;
};

/// A platform as plain data, the input of platform::build. The index of a place is its position in `places`.
struct platform_description {
  std::vector<place_description> places;        // a place's index is its position
  std::vector<place_link> links;                // all places must be connected to a worker's path
  std::vector<std::vector<place>> pop_paths;    // one per worker; its length is the number of workers
  std::vector<std::vector<place>> steal_paths;  // one per worker

  friend bool operator==(const platform_description&, const platform_description&) = default;
};

}  // namespace stretto

template <>
struct std::hash<stretto::place> {
  std::size_t operator()(stretto::place p) const noexcept { return p.index; }
};

STRETTO_API_END
