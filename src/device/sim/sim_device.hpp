// sim_device.hpp - a device that is not there: memory of its own, streams in time, and faults on demand.
//
// It behaves like a GPU where programs can tell: what the host did not copy is not there, what was freed reads as rubbish,
// host code that touches device memory crashes, operations take the time that a cost model says, and run in any order that
// their streams allow. Kernels are computed by their host function.
//
// Threads     as device.hpp. One thread per device computes, or, stepped, whoever calls poll().
// Cost        a lock per call; time passes as modelled, except that the host must be fast enough to compute it.
// Invariants  stepped with an injected clock, a run is a function of its calls.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "device/device.hpp"
#include "device/host_work.hpp"

namespace stretto::device::sim {

/// Several devices may share the wires to the host; they then copy to and from one another too.
class bus;
std::shared_ptr<bus> make_bus();

struct options {
  std::string name = "sim";
  processor_kind kind = processor_kind::gpu;
  std::uint64_t memory_bytes = 64 << 20;
  std::uint64_t host_memory_bytes = 0;  // that kernels use in place, each access over the wires
  std::uint64_t local_memory_bytes = 48 << 10;
  std::int64_t most_items_per_group = 1024;
  std::int64_t most_groups = std::numeric_limits<std::int64_t>::max();  // of a launch of a kernel in groups
  double launch_seconds = 5e-6;        // before a kernel begins
  double compile_seconds = 0;          // and before the first of a kernel in groups of a shape
  double items_per_second = 1e9;       // of a kernel
  double copy_latency_seconds = 3e-6;  // before a copy begins
  double to_device_bytes_per_second = 12e9;
  double to_host_bytes_per_second = 12e9;
  double within_bytes_per_second = 200e9;
  double pageable_bytes_per_second = 0;  // at most, where the host's memory is not page-locked; 0: that makes no difference
  unsigned copy_engines = 2;   // 1: both directions take turns
  std::shared_ptr<bus> wires;  // none: the device has wires of its own
  bool has_double = true;
  bool supports_direct_messages = false;  // messages may go from and to its memory
  bool is_host_accessible = false;  // the host has its memory in place
  bool exports = false;          // such devices of other nodes in this process import its memory, and it theirs, over the wires
  index_checks check = index_checks::off;
  /// Seconds since anything, never going back. Given: no thread is started, and poll() computes what is due.
  std::function<double()> clock;
};

class faults {
 public:
  virtual ~faults() = default;
  /// The n-th launch from now on fails (1: the next one) with K30, as a kernel does that divides by zero.
  virtual void fail_launch(std::uint64_t n) = 0;
  /// From now on every operation ends with K31, and what the memory held is rubbish.
  virtual void lose() = 0;
  /// The same at the n-th launch from now on.
  virtual void lose_at_launch(std::uint64_t n) = 0;
  /// The n-th part of its memory that is taken from now on cannot be had.
  virtual void fail_allocation(std::uint64_t n) = 0;
  /// From now on so many bytes of its memory are others': what is in use here can be the rest.
  virtual void reserve_for_others(std::uint64_t bytes) = 0;
};

struct made {
  std::unique_ptr<stretto::device::device> device;
  faults* faults_of_device = nullptr;  // of the device
};
made make(const options& o);

}  // namespace stretto::device::sim
