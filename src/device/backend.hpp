// backend.hpp - a kind of device that this library knows: how its devices are found, and which a runtime is asked to open.
//
// A backend's folder holds a file <folder>_backend.hpp that declares `backend <folder>_backend()`; the build lists the
// folders that are there (src/device/backends.cpp.in), so that one can be taken away.
//
// Threads     pure, but for `find`, `look` and `measure`, which ask drivers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
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

/// A device that a driver shows and that can be used, before it is opened.
struct visible_device {
  unsigned number = 0;  // for this backend, with the same settings, until the process ends
  std::string name;     // as its driver calls it
  std::string identity;  // the same in every process of the host that sees it
  std::string kind;      // devices of one kind do for one another: "cuda", or whose driver's they are
  bool is_near = true;   // to the cores that this process may use, as far as anybody knows
};

/// What a process has of a device, among those of its host.
struct device_share {
  std::uint32_t sharers = 1;    // processes that open it, this one included
  std::uint32_t devices = 1;    // of its kind, that were dealt
  std::uint32_t processes = 0;  // among which; 0: it was not dealt
  std::uint64_t free_bytes = 0;  // of its memory, before any of the sharers has taken some; 0: not known
};

/// A device that is to be opened.
struct device_selection {
  unsigned number = 0;  // as seen
  device_share share = {};
};

/// How devices are opened.
struct open_options {
  unsigned at_most = ~0u;
  std::uint64_t memory_bytes = 0;  // of each device; 0: as much as is sensible
  std::uint64_t host_memory_bytes = 0;  // that kernels of each device use in place, where they can
  bool pool = true;                // their memory is taken once; false: of the driver, for each instance, where the backend can
  bool stepped = false;            // time is counted, not measured, where the backend can
  bool check = false;              // kernels look at their indices, where the backend can
  std::filesystem::path cache;     // of compiled kernels; empty: none
  std::vector<setting> settings = {};  // of those that the backend knows
  std::optional<std::vector<device_selection>> only = {};  // these; else all
};

/// What the options of a driver have of it, under the same names.
template <class Options>
Options options_of(const open_options& how) {
  Options o;
  o.memory_bytes = how.memory_bytes;
  o.host_memory_bytes = how.host_memory_bytes;
  o.check = how.check;
  o.pool = how.pool;
  o.cache = how.cache;
  o.at_most = how.at_most;
  o.only = how.only;
  return o;
}

/// What `only` says of the device of that number; null: it is not to be opened.
const device_selection* selection_of(const std::optional<std::vector<device_selection>>& only, unsigned number) noexcept;

/// For devices whose driver names none: the same in processes with the same variables that hide devices.
std::string identity_by_number(const std::string& name, unsigned number);
/// Which of these variables is set, as launchers do for each process: "CUDA_VISIBLE_DEVICES"; empty: none.
std::string hiding_variable();

/// What is free of the memory of open devices.
struct measured_memory {
  std::vector<std::uint64_t> free_bytes;  // of each that `only` names; 0: not known
  std::shared_ptr<void> held;             // for as long they stay open, which takes memory, too
};

/// A device, or why there is none.
struct opened_device {
  std::string name;  // as its driver calls it
  std::unique_ptr<stretto::device::device> is;
  std::string reason, remedy;  // where it cannot be used
  device_share share = {};    // as it was chosen
};

struct backend {
  std::string name;
  bool is_simulated = false;  // there is one for the asking: "all" does not mean it
  /// Never throws for what is missing: that is an entry with a reason.
  std::vector<opened_device> (*find)(const open_options& how) = nullptr;
  std::string thread_prefix = {};  // how its driver's threads are called, where they name themselves
  std::vector<std::string> settings = {};  // the names of those that there are
  /// Those that `find` would open, without opening them. Throws what find gives a reason of. Null: each process has its own.
  std::vector<visible_device> (*list_visible)(const open_options& how) = nullptr;
  /// Of those in `how.only`, what is free of their memory. Null: that cannot be asked.
  measured_memory (*measure)(const open_options& how) = nullptr;
};

/// One word of the option `devices`: "cuda", "sim:4", "sim:2(shared_bus)".
struct device_request {
  std::string backend;
  unsigned at_most = ~0u;
  bool is_named = true;  // rather than meant by "all": then it is an error that there is none
  std::vector<setting> settings = {};
  std::optional<std::vector<device_selection>> only = {};  // what was dealt
};

/// Reads "all", "none", or names of backends, each perhaps with a number and settings in brackets, between commas.
///   throws   K26 for a word that is none and for too many of a kind, K29 for a setting that the backend does not know
std::vector<device_request> parse_devices(std::string_view text, const std::vector<backend>& known);

/// Opens them. A device that two drivers show is opened once, by its own.
///   throws   K27 where a backend that was named has no device that can be used, K29 for a setting's value that cannot be
std::vector<opened_device> open_devices(const std::vector<device_request>& which, const std::vector<backend>& known, const open_options& how);

/// K29: a setting that there is not, or that cannot be what it is said to be.
error wrong_setting(std::string_view backend, std::string sentence);

/// The backends of this build, by speed: where two drivers show one device, the first is meant.
std::vector<backend> all_backends();

}  // namespace stretto::device
