// sim_device.hpp - a simulated device with its own memory, timed streams, and faults on demand.
//
// It behaves like a GPU as far as programs can tell. Data must be copied to it by the host; freed memory reads as
// garbage; host code that touches device memory crashes. Operations take the time of a cost model and run in any
// order that their streams allow. The host functions of kernels compute their results.
//
// Threads     as device.hpp. One thread per device computes; in stepped mode, the thread that calls poll().
// Cost        a lock per call. Time passes as modelled, provided that the host computes fast enough.
// Invariants  in stepped mode with an injected clock, a run is a function of its calls.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "device/device.hpp"
#include "device/host_work.hpp"

namespace stretto::device::sim {

/// Several devices may share a bus to the host; they can then also copy to and from one another.
class bus;
std::shared_ptr<bus> make_bus();

struct options {
  std::string name = "sim";
  processor_kind kind = processor_kind::gpu;
  std::uint64_t memory_bytes = 64 << 20;
  std::uint64_t host_memory_bytes = 0;  // host memory that kernels access in place, over the bus
  std::uint64_t local_memory_bytes = 48 << 10;
  std::int64_t most_items_per_group = 1024;
  std::int64_t most_groups = std::numeric_limits<std::int64_t>::max();  // per launch of a kernel in groups
  double launch_seconds = 5e-6;                                         // delay before a kernel starts
  double compile_seconds = 0;          // additional delay before the first launch in groups of a shape
  double items_per_second = 1e9;       // speed of kernels
  double copy_latency_seconds = 3e-6;  // delay before a copy starts
  double to_device_bytes_per_second = 12e9;
  double to_host_bytes_per_second = 12e9;
  double within_bytes_per_second = 200e9;
  double pageable_bytes_per_second = 0;  // limit for host memory that is not page-locked; 0: no limit
  unsigned copy_engines = 2;             // 1: copies in both directions alternate
  std::shared_ptr<bus> wires;            // null: the device has its own bus
  bool has_double = true;
  bool supports_direct_messages = false;       // messages may be sent from and received into its memory
  bool is_host_accessible = false;             // the host can access its memory in place
  std::vector<unsigned> near_processors = {};  // of the system
  double far_bytes_per_second = 0;  // limit for copies that other processors ask for; 0: distance costs nothing
  bool exports = false;  // devices of other nodes in this process can import its memory, and it theirs, over the bus
  index_checks check = index_checks::off;
  /// Monotone seconds since any origin. If set, no thread is started, and poll() computes what is due.
  std::function<double()> clock;
};

class faults {
 public:
  virtual ~faults() = default;
  /// The n-th launch from now on (1: the next one) fails with K30, like a kernel that divides by zero.
  virtual void fail_launch(std::uint64_t n) = 0;
  /// From now on every operation ends with K31, and the memory holds garbage.
  virtual void lose() = 0;
  /// Loses the device at the n-th launch from now on.
  virtual void lose_at_launch(std::uint64_t n) = 0;
  /// The n-th allocation of its memory from now on fails.
  virtual void fail_allocation(std::uint64_t n) = 0;
  /// From now on `bytes` bytes of its memory belong to other programs, and only the rest can be in use here.
  virtual void reserve_for_others(std::uint64_t bytes) = 0;
};

struct made {
  std::unique_ptr<stretto::device::device> device;
  faults* faults_of_device = nullptr;  // fault injection for the device
};
made make(const options& o);

}  // namespace stretto::device::sim
