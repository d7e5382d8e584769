// backend.hpp - a kind of device that this library knows: how its devices are found, and which a runtime is asked to open.
//
// A backend's folder holds a file <folder>_backend.hpp that declares `backend <folder>_backend()`; the build lists the
// folders that are there (src/device/backends.cpp.in), so that one can be taken away.
//
// Threads     pure, but for `find`, which asks drivers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace stretto::device {

/// A runtime has so many at most: with the host's, their memories are bits of one word where graphs know what is valid in which.
inline constexpr unsigned most_devices = 63;

/// A word between the brackets of "sim:2(shared_bus,engines=1)", and what follows its "=".
struct setting {
  std::string name, value;
};

/// How devices are opened.
struct search {
  unsigned at_most = ~0u;
  std::uint64_t memory_bytes = 0;  // of each device; 0: as much as is sensible
  std::uint64_t host_memory_bytes = 0;  // that kernels of each device use in place, where they can
  bool pool = true;                // their memory is taken once; false: of the driver, for each instance, where the backend can
  bool stepped = false;            // time is counted, not measured, where the backend can
  bool check = false;              // kernels look at their indices, where the backend can
  std::filesystem::path cache;     // of compiled kernels; empty: none
  std::vector<setting> settings = {};  // of those that the backend knows
};

/// A device, or why there is none.
struct found {
  std::string name;  // as its driver calls it
  std::unique_ptr<stretto::device::device> is;
  std::string reason, remedy;  // where it cannot be used
};

struct backend {
  std::string name;
  bool is_simulated = false;  // there is one for the asking: "all" does not mean it
  /// Never throws for what is missing: that is an entry with a reason.
  std::vector<found> (*find)(const search& how) = nullptr;
  std::string thread_prefix = {};  // how its driver's threads are called, where they name themselves
  std::vector<std::string> settings = {};  // the names of those that there are
};

/// One word of the option `devices`: "cuda", "sim:4", "sim:2(shared_bus)".
struct wanted {
  std::string backend;
  unsigned at_most = ~0u;
  bool is_named = true;  // rather than meant by "all": then it is an error that there is none
  std::vector<setting> settings = {};
};

/// Reads "all", "none", or names of backends, each perhaps with a number and settings in brackets, between commas.
///   throws   K26 for a word that is none and for too many of a kind, K29 for a setting that the backend does not know
std::vector<wanted> parse_devices(std::string_view text, const std::vector<backend>& known);

/// Opens them. A device that two drivers show is opened once, by its own.
///   throws   K27 where a backend that was named has no device that can be used, K29 for a setting's value that cannot be
std::vector<found> open_devices(const std::vector<wanted>& which, const std::vector<backend>& known, const search& how);

/// K29: a setting that there is not, or that cannot be what it is said to be.
error wrong_setting(std::string_view backend, std::string sentence);

/// The backends of this build, by speed: where two drivers show one device, the first is meant.
std::vector<backend> all_backends();

}  // namespace stretto::device
