// device.hpp - one processor that runs kernels in streams, and the memory that they work on.
//
// A device's memory is one address range, which the data floor divides among instances. The addresses are the
// device's: the host reads and writes them by copies only, whether or not the device could share its memory.
//
// Threads     a device and its streams may be used from any thread; the caller orders the calls on one stream.
// Memory      the effects of an operation are visible to later operations of its stream, to other streams that wait
//             for a marker behind it, and to the host once its completion runs.
// Invariants  (1) operations of a stream run in order and do not overlap. (2) an accepted completion runs exactly
//             once, on a thread of the runtime or inside poll, with or without a failure. (3) the device never waits
//             for the host between an operation and the next one of its stream.
// Source      streams and markers: CUDA's streams and events; the common ground of CUDA and OpenCL.
#pragma once

#include <stretto/error.hpp>
#include <stretto/kernel_code.hpp>
#include <stretto/native_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/borrowed_memories.hpp"
#include "device/completion_notifier.hpp"
#include "device/launched_shapes.hpp"
#include "platform/channel.hpp"
#include "platform/work_item.hpp"

namespace stretto {
struct native_call;
}

namespace stretto::device {

/// The kind of processor that the driver reports.
enum class processor_kind : std::uint8_t { gpu, cpu, accelerator };

struct properties {
  std::string name;     // the driver's name for it
  std::string backend;  // "sim", "opencl", "cuda"
  std::string vendor;   // empty where unknown
  processor_kind kind = processor_kind::gpu;
  std::uint64_t memory_bytes = 0;        // available to the runtime
  std::uint64_t whole_memory_bytes = 0;  // total memory of the device
  std::uint64_t local_memory_bytes = 0;  // available to one group
  std::int64_t most_items_per_group = 1;
  std::uint64_t alignment = 1;  // alignment of arrays of native kernels, in bytes
  unsigned compute_units = 1;
  unsigned copy_engines = 1;  // concurrent copies
  bool has_double = true;
  bool has_atomics_64 = true;
  bool copies_page_locked_faster = false;  // copies to and from page-locked host memory are faster
  bool supports_direct_messages = false;   // messages may be sent from and received into its memory
  bool is_host_accessible = false;  // the host may access its memory at transport_address() while no stream uses it
  // completions are found only by poll(), at little cost: a waiting thread should spin before it sleeps
  bool prefers_spinning = false;
  bool compiles_at_first_launch = false;  // the driver compiles further at the first launch in groups of a new shape
  bool shares_host_memory = false;        // copies go through the host's memory system
  double bandwidth_bytes_per_second = 0;  // between host and device; 0: unknown
  double latency_seconds = 0;
  std::uint64_t host_memory_bytes = 0;  // host memory that kernels access in place; 0: not supported or not requested
  std::vector<unsigned> near_processors = {};  // of the system, those local to the device; empty: unknown
};

/// The argument of one kernel parameter in one launch.
struct launch_argument {
  kernel_argument is;
  /// Of an array: its first byte and its size, all of it in the memory of the device.
  std::byte* first = nullptr;
  std::uint64_t bytes = 0;

  std::byte* end() const noexcept { return first + bytes; }
};

/// The items of one launch. For group kernels the box counts groups.
struct launch_range {
  std::int64_t min[3] = {0, 0, 0}, max[3] = {1, 1, 1};
  std::int64_t group[3] = {1, 1, 1};
  int dimensions = 1;
  bool is_first = false;  // the first launch in groups of this shape, as far as the caller knows

  std::int64_t items() const noexcept;
  /// For a plain kernel whose items run in lines along the last axis, one group per line: the length of a line. The
  /// lengths are few, because drivers compile for each (decision 0016), and exceed the range by few items.
  std::int64_t items_in_line() const noexcept;
  /// Whether all ids of items and groups, and their counts along each axis, fit into int, with room for neighbours.
  bool ids_are_ints() const noexcept;
};

/// The same for any box of items, or of groups of that size.
bool ids_fit_ints(const std::int64_t (&min)[3], const std::int64_t (&max)[3], const std::int64_t (&group)[3]) noexcept;

/// Limits that a compiled kernel sets to its groups, as its compiler reports them.
struct group_needs {
  std::int64_t most_items = std::numeric_limits<std::int64_t>::max();
  std::uint64_t local_bytes = 0;  // declared in the body
};

class device;

/// A kernel that was compiled for one device.
class compiled_kernel {
 public:
  virtual ~compiled_kernel() = default;
  explicit compiled_kernel(const kernel_code& code) noexcept : code(code) {}
  /// The limits that the driver reports; by default those of the device.
  virtual group_needs needs() const { return {}; }
  /// Throws K44 if no launch can have this range: this number of groups, of this shape.
  virtual void check_range(const device& /*on*/, const launch_range&) const {}
  /// is_new: no launch in groups of this shape was noted. note_launch: notes one, and returns true if it is the
  /// first.
  bool is_new(const launch_range& r) const noexcept { return !shapes_.has(shape_of(r)); }
  bool note_launch(const launch_range& r) const { return shapes_.add(shape_of(r)); }
  static launched_shapes::shape shape_of(const launch_range& r) noexcept {
    return {{r.group[0], r.group[1], r.group[2]}, r.dimensions, r.items_in_line()};
  }
  const kernel_code& code;

 private:
  mutable launched_shapes shapes_;
};

/// A point in a stream. Copies denote the same point. A default marker counts as reached.
class stream_marker {
 public:
  struct state {
    virtual ~state() = default;
  };
  stream_marker() = default;
  explicit stream_marker(std::shared_ptr<state> s) noexcept : state_(std::move(s)) {}
  const std::shared_ptr<state>& get() const noexcept { return state_; }

 private:
  std::shared_ptr<state> state_;
};

/// A queue of operations that run in order. Each call enqueues and returns; `done`, if given, runs when the operation
/// has completed. If a call throws, nothing was enqueued and its `done` never runs. If an operation without `done`
/// fails, the next operation with one reports the failure, if the driver does.
class stream {
 public:
  virtual ~stream() = default;  // waits for the enqueued operations

  /// Copies rows of bytes between the host and the device, within the device, or between it and a device that it can
  /// access; the distances of rows are those of copy_end. The address of an end decides which device it belongs to.
  /// An empty copy completes in stream order.
  void copy(const copy_end& source, const copy_end& target, places::copy_shape shape, places::completion* done) {
    if (shape.bytes()) copy_some(source, target, shape, done);
    else if (done) notify(*done);
  }
  /// Repeats a pattern of 1 to 16 bytes, a power of two, over the rows of `target`, starting anew in each row. An
  /// empty fill is like an empty copy.
  void fill(const copy_end& target, places::copy_shape shape, std::span<const std::byte> pattern,
            places::completion* done) {
    if (shape.bytes()) fill_some(target, shape, pattern, done);
    else if (done) notify(*done);
  }
  /// `done` runs when all operations before it have completed.
  virtual void notify(places::completion& done) = 0;
  /// Blocks the thread until all operations before it have completed. No one needs to call poll() meanwhile; it runs
  /// their completions later.
  ///   throws   K31 if the device has failed; the failure of an operation without `done`, if the driver reports it
  virtual void finish() = 0;
  /// Launches a kernel that compile() of this device returned. The arguments are copied. A launch without items
  /// completes in stream order.
  ///   throws   K20 to K24 if the launch is impossible: memory of another device, too large groups, too much local
  ///            memory
  virtual void launch(const compiled_kernel& kernel, const launch_range& range,
                      std::span<const launch_argument> arguments, places::completion* done) = 0;

  virtual stream_marker record_marker() = 0;
  /// Later operations of this stream start after the marker, which any stream of this device may have recorded. The
  /// host is not involved.
  virtual void wait_for(const stream_marker& m) = 0;

 protected:
  /// At least one byte: drivers refuse empty operations.
  virtual void copy_some(const copy_end& source, const copy_end& target, places::copy_shape shape,
                         places::completion* done) = 0;
  virtual void fill_some(const copy_end& target, places::copy_shape shape, std::span<const std::byte> pattern,
                         places::completion* done) = 0;
};

class device {
 public:
  virtual ~device() = default;

  virtual const properties& about() const noexcept = 0;

  /// The device has failed: operations on it end with K31, and its memory is lost. Once true, it stays true.
  virtual bool is_lost() const noexcept { return false; }

  /// The range of the device's addresses: [memory(), memory() + about().memory_bytes).
  virtual std::byte* memory() const noexcept = 0;
  /// A block of the memory becomes used or unused. Its contents are undefined until it is written.
  virtual void allocated(std::byte* first, std::uint64_t bytes) = 0;
  virtual void freed(std::byte* first, std::uint64_t bytes) noexcept = 0;

  /// Makes memory of this device that the program got from the driver usable by streams and kernels. They refer to it
  /// by the returned address, until give_back, which must come after its last use.
  ///   throws   N19 if the memory is not the device's, or shorter than `bytes`
  std::byte* borrow(const native_memory& from, std::uint64_t bytes);
  void give_back(std::byte* first) noexcept;

  /// Makes host memory usable by streams and kernels in place. They refer to it by the returned address, until
  /// give_back, which must come after its last use. Host and kernels see each other's writes once the writing operation
  /// has completed. Null if kernels of this device do not use the host's memory in place.
  std::byte* borrow_host(std::byte* first, std::uint64_t bytes) noexcept;
  /// The name by which the driver knows an address of this device, for native code.
  virtual native_memory named_by_driver(std::byte* address) const { return {.data = transport_address(address)}; }

  /// The driver's handles of this device, without a queue; of kind host if it has no driver.
  virtual native_call native() const noexcept;

  /// A token by which devices of other processes of this host can import all of this device's memory. At most
  /// most_token_bytes long; constant while the device lives. Empty if the memory cannot be exported.
  static constexpr std::size_t most_token_bytes = 96;
  virtual std::span<const std::byte> exported() const noexcept { return {}; }
  /// Imports `bytes` bytes of the memory that a device of another process exports under this token. Copies in streams
  /// of this device refer to it by the returned address, until give_back, which must come after its last use. Null if
  /// this device cannot import it. The caller keeps the other device alive and orders the accesses of the two
  /// devices.
  std::byte* import_memory(std::span<const std::byte> token, std::uint64_t bytes) noexcept;

  /// The address at which the message transport, or the host, accesses this device address. Null if they cannot, as
  /// for borrowed memory.
  virtual std::byte* transport_address(std::byte* address) const noexcept { return address; }

  /// The first of host_memory_bytes bytes of host memory that kernels access in place, at the same addresses. Host
  /// and kernels see each other's writes once the writing operation has completed. Null if there is none.
  virtual std::byte* host_memory() const noexcept { return nullptr; }

  /// Page-locks whole pages of host memory, so that the device copies directly to and from them; this holds for all
  /// devices of its driver. Returns false if it makes no difference, if no more pages can be locked, or if they are
  /// locked already; nothing must be unlocked then. The same device must unlock the pages before the memory is freed,
  /// and after the last operation on it.
  virtual bool lock_host(std::byte* /*first*/, std::uint64_t /*bytes*/) noexcept { return false; }
  virtual void unlock_host(std::byte* /*first*/) noexcept {}

  /// Whether streams of this device can also copy to and from the memory of `other`. The caller orders the accesses
  /// of the two devices; both must live until the copy has completed.
  virtual bool reaches(const device& other) const { return this == &other; }

  virtual std::unique_ptr<stream> make_stream() = 0;
  /// Compiles the kernel for this device, once; later calls return the same object.
  ///   throws   K12 with the compiler's messages in the user's file and line; K13 if the device lacks a capability
  ///            that the kernel needs
  virtual std::shared_ptr<const compiled_kernel> compile(const kernel_code& code) = 0;

  /// Runs the completions of operations that have completed, without holding a lock. Returns their number. One thread
  /// at a time.
  virtual std::size_t poll() = 0;
  /// The caller stops polling for a while. True: the driver notifies at least once when pending operations may have
  /// completed, also those that start later, until it has notified; from a thread of the driver or inside this call.
  /// False: the device cannot notify, or poll may find a completion now. Every call must pass the same notifier.
  virtual bool will_notify(const std::shared_ptr<completion_notifier>&) noexcept { return false; }
  /// Number of operations whose completion has not run yet.
  virtual std::size_t pending() const noexcept = 0;

  bool owns(const std::byte* first, std::uint64_t bytes = 1) const noexcept {
    return (first >= memory() && first + bytes <= memory() + about().memory_bytes) || borrowed_.contains(first, bytes);
  }
  /// Whether the range is host memory that kernels access in place.
  bool shares(const std::byte* first, std::uint64_t bytes = 1) const noexcept {
    return host_memory() && first >= host_memory() && first + bytes <= host_memory() + about().host_memory_bytes;
  }

 protected:
  /// Throws N19 if `from` is not `bytes` bytes of this device's memory.
  virtual void require(const native_memory& from, std::uint64_t bytes) const;
  /// Makes `alias` an address of that memory, which was checked by require(), until unmap_borrowed.
  virtual void map_borrowed(std::byte* /*stands*/, const native_memory& /*from*/, std::uint64_t /*bytes*/) {}
  virtual void unmap_borrowed(std::byte* /*stands*/) noexcept {}
  /// Makes `alias` an address of that host memory, until unmap_borrowed. False if this is impossible.
  virtual bool map_host(std::byte* /*stands*/, std::byte* /*first*/, std::uint64_t /*bytes*/) { return false; }
  /// Makes `alias` an address of the memory exported under that token, until unmap_borrowed. False if this is
  /// impossible.
  virtual bool map_exported(std::byte* /*stands*/, std::span<const std::byte> /*token*/, std::uint64_t /*bytes*/) {
    return false;
  }

 private:
  borrowed_memories borrowed_;
};

/// The error N19: the device cannot use this memory of a driver.
error foreign_memory(const device& on, std::string why, std::string remedy);

/// The error K44: a launch cannot have this range.
error unsupported_range(const device& on, const kernel_code& code, std::string sentence, std::string_view at_most);

/// The error K13: the kernel needs a capability that the device lacks.
error missing_capability(const kernel_code& code, std::string_view what, std::string_view device);

/// Throws K22, K23 or K44 if the device cannot run this number of groups of this size with `local_bytes` bytes of
/// local memory.
void check_groups(const device& on, const compiled_kernel& kernel, const launch_range& range,
                  std::uint64_t local_bytes);
/// The same for one group of `items` items with these limits. Throws K22, K23.
void check_group(const device& on, const kernel_code& code, const group_needs& own, std::int64_t items,
                 std::uint64_t local_bytes);

/// Checks a launch; every backend calls it before it enqueues. Throws K20 to K24, K44.
void check_launch(const device& on, const compiled_kernel& kernel, const launch_range& range,
                  std::span<const launch_argument> arguments);

}  // namespace stretto::device
