// place.hpp - a place: one node of the platform graph, as a value of four bytes, and what is said about it.
//
// Threads     values: copy, compare and hash them from any thread.
// Cost        a place is an index; names and properties are looked up in the platform that it belongs to.
// Invariants  a default place is invalid and equal only to other invalid places.
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

/// What a place is. Core to system_memory are ordered from the processor outwards: default paths climb this order.
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
/// How many kinds of places there are.
inline constexpr std::size_t place_kind_count = static_cast<std::size_t>(place_kind::other) + 1;

/// The word used in files and messages: "core", "l2", "system_memory".
std::string_view to_string(place_kind kind) noexcept;

/// The kind that a word names; nothing if no kind has that name.
std::optional<place_kind> place_kind_named(std::string_view word) noexcept;

/// A node of the platform graph.
struct place {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t index = none;

  /// Whether it names a place.
  constexpr explicit operator bool() const noexcept { return index != none; }
  friend constexpr auto operator<=>(const place&, const place&) = default;
};

/// What is known of one place. All but name and kind are optional; what is absent was not said or measured.
struct place_description {
  std::string name;  // 1 to 255 bytes, unique in its platform
  place_kind kind = place_kind::other;
  std::optional<std::uint64_t> capacity_bytes;       // of a memory, cache or store
  std::vector<std::uint32_t> cpus;                   // OS numbers of the hardware threads of a core
  std::optional<std::uint32_t> device_index;         // number given by the OS or driver: NUMA node, GPU
  std::optional<double> bandwidth_bytes_per_second;  // of a copy from this memory to itself by one core
  std::optional<double> latency_seconds;             // to hand a cache line over between cores that meet here

  friend bool operator==(const place_description&, const place_description&) = default;
};

/// Two places next to one another. Links have no direction.
struct place_link {
  place a, b;
  std::optional<double> bandwidth_bytes_per_second;
  std::optional<double> latency_seconds;

  friend bool operator==(const place_link&, const place_link&) = default;
};

/// A whole platform as plain data: what files say, what discovery finds, what `platform::build` checks.
/// A place's index is its position in `places`.
struct platform_description {
  std::vector<place_description> places;
  std::vector<place_link> links;
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
