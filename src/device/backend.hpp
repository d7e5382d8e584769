// backend.hpp - a kind of device, such as CUDA: how its devices are found, and which of them a runtime opens.
//
// A backend's folder holds a file <folder>_backend.hpp that declares `backend <folder>_backend()`. The build lists
// the folders that exist (src/device/backends.cpp.in), so that a backend can be removed by removing its folder.
//
// Threads     pure, except `find`, `list_visible` and `measure`, which call drivers.
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

/// The most devices of a runtime: the graphs keep valid copies as a 64-bit mask, with one bit for the host's memory.
inline constexpr unsigned most_devices = 63;

/// One setting of a request: a word between the brackets of "sim:2(shared_bus,engines=1)", and the text behind its
/// "=".
struct setting {
  std::string name, value;
};

/// A usable device that a driver lists. It is not open yet.
struct visible_device {
  unsigned number = 0;   // constant for this backend and these settings until the process ends
  std::string name;      // as its driver calls it
  std::string identity;  // equal in all processes of the host that see this device
  std::string kind;      // devices of one kind are interchangeable: "cuda", or an OpenCL driver and device type
  bool is_near = true;   // near the cores that this process may use, or of unknown location
};

/// How many processes of the host share a device.
struct device_share {
  std::uint32_t sharers = 1;     // processes that open the device, including this one
  std::uint32_t devices = 1;     // devices of its kind that were assigned
  std::uint32_t processes = 0;   // processes among which they were assigned; 0: no assignment took place
  std::uint64_t free_bytes = 0;  // free memory before the first sharer opened the device; 0: unknown
};

/// A device that this process opens.
struct device_selection {
  unsigned number = 0;  // visible_device::number
  device_share share = {};
};

/// Options for opening devices.
struct open_options {
  unsigned at_most = ~0u;
  std::uint64_t memory_bytes = 0;  // of each device; 0: the backend chooses
  // host memory that kernels of each device access in place, if the backend supports it
  std::uint64_t host_memory_bytes = 0;
  // allocate the device's memory once; false: allocate each instance from the driver, if the backend supports it
  bool pool = true;
  bool stepped = false;                                    // simulated time, if the backend supports it
  bool check = false;                                      // kernels check their indices, if the backend supports it
  std::filesystem::path cache;                             // folder of compiled kernels; empty: no cache
  std::vector<setting> settings = {};                      // from the brackets of the request
  std::optional<std::vector<device_selection>> only = {};  // these devices; absent: all
};

/// Copies the options to the driver's own options, whose members have the same names.
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

/// The selection of the device with that number. Null if `only` excludes the device.
const device_selection* selection_of(const std::optional<std::vector<device_selection>>& only,
                                     unsigned number) noexcept;

/// An identity for devices whose driver has none. Processes get the same one if the variables that hide devices have
/// the same values in both.
std::string identity_by_number(const std::string& name, unsigned number);
/// The variable that hides devices from this process, such as "CUDA_VISIBLE_DEVICES"; launchers set it per process.
/// Empty if none is set.
std::string hiding_variable();

/// Free memory of the selected devices.
struct measured_memory {
  std::vector<std::uint64_t> free_bytes;  // of each device in `only`; 0: unknown
  std::shared_ptr<void> held;             // keeps the devices open: being open takes memory too
};

/// An opened device, or the reason why it cannot be opened.
struct opened_device {
  std::string name;  // as its driver calls it
  std::unique_ptr<stretto::device::device> is;
  std::string reason, remedy;  // set if the device cannot be used
  device_share share = {};     // from the device_selection
};

struct backend {
  std::string name;
  bool is_simulated = false;  // any number can be requested; "all" does not include it
  /// Opens devices. Never throws for a missing driver or device: the result then has an entry with a reason.
  std::vector<opened_device> (*find)(const open_options& how) = nullptr;
  std::string thread_prefix = {};          // prefix of the names of the driver's threads, if they have names
  std::vector<std::string> settings = {};  // names of the settings that the backend accepts
  /// Lists the devices that `find` would open, without opening them. Throws if the driver cannot be asked. Null if
  /// each process has its own devices.
  std::vector<visible_device> (*list_visible)(const open_options& how) = nullptr;
  /// Measures the free memory of the devices in `how.only`. Null if the driver cannot report it.
  measured_memory (*measure)(const open_options& how) = nullptr;
};

/// One request of the option `devices`: "cuda", "sim:4", "sim:2(shared_bus)".
struct device_request {
  std::string backend;
  unsigned at_most = ~0u;
  bool is_named = true;  // false for "cuda?" and "all"; a named backend without a device is an error
  std::vector<setting> settings = {};
  std::optional<std::vector<device_selection>> only = {};  // the assigned devices; absent: no assignment took place
};

/// Parses "all", "none", or a comma-separated list of backends, each perhaps with "?" (if there are any), a number, and
/// settings in brackets.
///   throws   K26 for an unknown word and for too many devices of a kind, K29 for a setting that the backend does not
///            know
std::vector<device_request> parse_devices(std::string_view text, const std::vector<backend>& known);

/// Opens the requested devices. With "all", OpenCL does not open NVIDIA's devices if CUDA has opened some.
///   throws   K26 for too many devices, K27 if a named backend has no usable device, K29 for a setting with an
///            impossible value
std::vector<opened_device> open_devices(const std::vector<device_request>& which, const std::vector<backend>& known,
                                        const open_options& how);

/// K29: an unknown setting, or a setting with an impossible value.
error wrong_setting(std::string_view backend, std::string sentence);

/// The backends of this build, fastest first: if two drivers list one device, the first one opens it.
std::vector<backend> all_backends();

}  // namespace stretto::device
