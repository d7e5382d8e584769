// device.hpp - one processor that runs kernels in streams, and the memory that they work on.
//
// A device's memory is one range of addresses, which the data floor parts among instances. The addresses are the device's:
// the host reads and writes them by copies alone, whether or not the device could share its memory.
//
// Threads     a device and its streams may be used from any thread; calls of one stream are ordered by the caller.
// Memory      what an operation wrote is seen by what follows it in its stream, by other streams that wait for a mark behind
//             it, and by the host once its completion runs.
// Invariants  (1) operations of a stream run in order and do not overlap. (2) a completion that a call took runs exactly
//             once, on a thread of the runtime or inside poll, with a failure or without. (3) nothing waits for the host
//             between an operation and the next of its stream.
// Source      streams and marks: CUDA's streams and events; the common ground of CUDA and OpenCL.
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

#include "device/borrowed_memories.hpp"
#include "device/completion_notifier.hpp"
#include "device/launched_shapes.hpp"
#include "platform/channel.hpp"
#include "platform/work_item.hpp"

namespace stretto::device {

/// What its driver says that it is.
enum class processor_kind : std::uint8_t { gpu, cpu, accelerator };

struct properties {
  std::string name;     // as its driver calls it
  std::string backend;  // "sim", "opencl", "cuda"
  std::string vendor;   // empty where unknown
  processor_kind kind = processor_kind::gpu;
  std::uint64_t memory_bytes = 0;        // that the runtime has
  std::uint64_t whole_memory_bytes = 0;  // of the device
  std::uint64_t local_memory_bytes = 0;  // of a group
  std::int64_t most_items_per_group = 1;
  std::uint64_t alignment = 1;  // where arrays of native kernels may begin, in its memory
  unsigned compute_units = 1;
  unsigned copy_engines = 1;  // copies that run at the same time
  bool has_double = true;
  bool has_atomics_64 = true;
  bool copies_page_locked_faster = false;  // to and from memory of the host that is page-locked
  bool supports_direct_messages = false;  // messages may go from and to its memory, whoever moves them
  bool is_host_accessible = false;  // transport_address() is where the host may read and write its memory, whenever no operation of a stream uses it
  bool prefers_spinning = false;  // only poll() tells of what ends, at little cost: who waits for it had better look than sleep
  bool compiles_at_first_launch = false;  // its driver goes on compiling when a kernel is first launched in groups of a shape
  bool shares_host_memory = false;  // copies to it are made by the host's own memory system
  double bandwidth_bytes_per_second = 0;  // between host and device, as far as is known
  double latency_seconds = 0;
  std::uint64_t host_memory_bytes = 0;  // of the host, that kernels use in place; 0 where they cannot, or nobody asked
};

/// What stands for a parameter of a kernel in one launch.
struct launch_argument {
  kernel_argument is;
  /// Array: its first byte and how many there are, all of it in the memory of the device.
  std::byte* first = nullptr;
  std::uint64_t bytes = 0;

  std::byte* end() const noexcept { return first + bytes; }
};

/// The items of one launch. Group kernels: the box counts groups.
struct launch_range {
  std::int64_t min[3] = {0, 0, 0}, max[3] = {1, 1, 1};
  std::int64_t group[3] = {1, 1, 1};
  int dimensions = 1;
  bool is_first = false;  // launch of the kernel in groups of this shape, as far as who launches knows

  std::int64_t items() const noexcept;
  /// Of a plain kernel, where its items go in lines along the last axis, a group a line: as many as a line has. Few lengths, for drivers compile
  /// for each (decision 0058), and few items beyond the range.
  std::int64_t items_in_line() const noexcept;
  /// Whether all ids, of items and of groups, and how many there are along an axis are ints, with room for neighbours.
  bool ids_are_ints() const noexcept;
};

/// The same of any box of items, or of groups of so many.
bool ids_fit_ints(const std::int64_t (&min)[3], const std::int64_t (&max)[3], const std::int64_t (&group)[3]) noexcept;

/// What a kernel itself asks of the groups that run it, as its compiler says.
struct group_needs {
  std::int64_t most_items = std::numeric_limits<std::int64_t>::max();
  std::uint64_t local_bytes = 0;  // that the body declares
};

class device;

/// A kernel as one device runs it.
class compiled_kernel {
 public:
  virtual ~compiled_kernel() = default;
  explicit compiled_kernel(const kernel_code& code) noexcept : code(code) {}
  /// Where the driver does not say, what the device can at all.
  virtual group_needs needs() const { return {}; }
  /// Whether a launch can have this range at all: so many groups, of this shape. Throws K44.
  virtual void check_range(const device& /*on*/, const launch_range&) const {}
  /// Whether no launch of it in groups of this shape was noted; and notes one: true for the first.
  bool is_new(const launch_range& r) const noexcept { return !shapes_.has(shape_of(r)); }
  bool note_launch(const launch_range& r) const { return shapes_.add(shape_of(r)); }
  static launched_shapes::shape shape_of(const launch_range& r) noexcept {
    return {{r.group[0], r.group[1], r.group[2]}, r.dimensions, r.items_in_line()};
  }
  const kernel_code& code;

 private:
  mutable launched_shapes shapes_;
};

/// A point in a stream. Copies stand for the same point; a default one for none, which has been passed.
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

/// Operations in order. Each call enqueues and returns; `done`, where it is given, runs when the operation has ended. What
/// is thrown before that was not enqueued, and its `done` never runs. A failure of one without `done` is told by the next behind it
/// that has one, where the driver tells it at all.
class stream {
 public:
  virtual ~stream() = default;  // waits for what was enqueued

  /// Copies between the host and the device, within the device, or between it and one that it reaches: rows of bytes at
  /// distances, as copy_end says. An end belongs to the device in whose range its address lies. Of nothing: ends in its turn.
  void copy(const copy_end& source, const copy_end& target, places::copy_shape shape, places::completion* done) {
    if (shape.bytes()) copy_some(source, target, shape, done);
    else if (done) notify(*done);
  }
  /// Repeats a pattern of 1 to 16 bytes, a power of two, over the rows of `target`, anew in each row. Nothing: as copy.
  void fill(const copy_end& target, places::copy_shape shape, std::span<const std::byte> pattern, places::completion* done) {
    if (shape.bytes()) fill_some(target, shape, pattern, done);
    else if (done) notify(*done);
  }
  /// `done` runs when all before it has ended.
  virtual void notify(places::completion& done) = 0;
  /// Runs the kernel, which compile() of this device made. The arguments are copied. Throws K20 to K24 where the launch
  /// cannot be: memory of another device, groups that are too large, too much local memory. No items: ends in its turn.
  virtual void launch(const compiled_kernel& kernel, const launch_range& range, std::span<const launch_argument> arguments,
                      places::completion* done) = 0;

  virtual stream_marker record_marker() = 0;
  /// What is enqueued from here on starts after the mark, of any stream of this device, without the host.
  virtual void wait_for(const stream_marker& m) = 0;

 protected:
  /// One byte or more: drivers refuse operations on nothing.
  virtual void copy_some(const copy_end& source, const copy_end& target, places::copy_shape shape, places::completion* done) = 0;
  virtual void fill_some(const copy_end& target, places::copy_shape shape, std::span<const std::byte> pattern,
                         places::completion* done) = 0;
};

class device {
 public:
  virtual ~device() = default;

  virtual const properties& about() const noexcept = 0;

  /// It does not answer any more: operations on it end with K31, and its memory is gone. Once true, it stays so.
  virtual bool is_lost() const noexcept { return false; }

  /// The range of the device's addresses: [memory(), memory() + about().memory_bytes).
  virtual std::byte* memory() const noexcept = 0;
  /// A part of it begins or ceases to be in use; what it holds is not defined before it is written.
  virtual void allocated(std::byte* first, std::uint64_t bytes) = 0;
  virtual void freed(std::byte* first, std::uint64_t bytes) noexcept = 0;

  /// Memory of this device that its driver gave to the program: streams and kernels know it from here on by the address that this
  /// returns, for so many bytes, until it is given back, once nothing uses it. Throws N19 where it is not the device's, or shorter.
  std::byte* borrow(const native_memory& from, std::uint64_t bytes);
  void give_back(std::byte* first) noexcept;

  /// By what devices of other processes of this host know all of this device's memory: at most most_token_bytes, the same as long as it lives.
  /// Empty where they cannot have it.
  static constexpr std::size_t most_token_bytes = 96;
  virtual std::span<const std::byte> exported() const noexcept { return {}; }
  /// The memory that a device of another process exports under this token, so many bytes: copies in streams of this device know it from here on
  /// by the address that this returns, until it is given back, once nothing uses it. Null where this device cannot have it. The caller sees to
  /// it that the other device outlives this, and to the order of what the two do there.
  std::byte* import_memory(std::span<const std::byte> token, std::uint64_t bytes) noexcept;

  /// By what messages, or the host, know what the device has at this address, where they may go from and to its memory at all. Null where
  /// they may not for this address: memory that was borrowed.
  virtual std::byte* transport_address(std::byte* address) const noexcept { return address; }

  /// The first of host_memory_bytes of the host's memory that kernels use in place, at the same addresses: host and kernels
  /// see what the other wrote once the operation that wrote it has ended. Null where there is none.
  virtual std::byte* host_memory() const noexcept { return nullptr; }

  /// Page-locks whole pages of the host's memory, so that the device copies to and from them without a detour, at once for
  /// all devices of its driver. False where it makes no difference, where no more can be had, or where they are locked: then
  /// there is nothing to unlock. To be unlocked by the same device before the memory goes, and once no operation uses it.
  virtual bool lock_host(std::byte* /*first*/, std::uint64_t /*bytes*/) noexcept { return false; }
  virtual void unlock_host(std::byte* /*first*/) noexcept {}

  /// Whether streams of this device copy to and from the memory of the other one too. The order of what the two devices do is
  /// the caller's; both must last until the copy has ended.
  virtual bool reaches(const device& other) const { return this == &other; }

  virtual std::unique_ptr<stream> make_stream() = 0;
  /// Compiles for this device, once: the same is returned from then on. Throws K12 with what the device's compiler says, in the
  /// user's file and line; K13 where the device lacks something that the kernel needs.
  virtual std::shared_ptr<const compiled_kernel> compile(const kernel_code& code) = 0;

  /// Runs the completions of what has ended, with no lock held; how many. One thread at a time.
  virtual std::size_t poll() = 0;
  /// Nobody will poll for a while. True: the bell rings, once or more, when something may have ended, also of what begins from
  /// here on, until it has rung; from a thread of the driver's, or in this call. False: the device cannot, or poll may find
  /// something now. The bell is the same in all calls.
  virtual bool will_notify(const std::shared_ptr<completion_notifier>&) noexcept { return false; }
  /// Operations whose completion has not run.
  virtual std::size_t pending() const noexcept = 0;

  bool owns(const std::byte* first, std::uint64_t bytes = 1) const noexcept {
    return (first >= memory() && first + bytes <= memory() + about().memory_bytes) || borrowed_.contains(first, bytes);
  }
  /// Whether it is memory of the host that kernels use in place.
  bool shares(const std::byte* first, std::uint64_t bytes = 1) const noexcept {
    return host_memory() && first >= host_memory() && first + bytes <= host_memory() + about().host_memory_bytes;
  }

 protected:
  /// Throws N19 where it is not so many bytes of this device's.
  virtual void require(const native_memory& from, std::uint64_t bytes) const;
  /// From now on `stands` is that memory, which was required before; until unmap_borrowed.
  virtual void map_borrowed(std::byte* /*stands*/, const native_memory& /*from*/, std::uint64_t /*bytes*/) {}
  virtual void unmap_borrowed(std::byte* /*stands*/) noexcept {}
  /// From now on `stands` is what is exported under that token, until unmap_borrowed. False where it cannot be.
  virtual bool map_exported(std::byte* /*stands*/, std::span<const std::byte> /*token*/, std::uint64_t /*bytes*/) { return false; }

 private:
  borrowed_memories borrowed_;
};

/// The error N19: memory of a driver's that a device cannot have for its own.
error foreign_memory(const device& on, std::string why, std::string remedy);

/// The error K44: a launch cannot have this range.
error unsupported_range(const device& on, const kernel_code& code, std::string sentence, std::string_view at_most);

/// The error K13: the kernel needs something that the device has not.
error missing_capability(const kernel_code& code, std::string_view what, std::string_view device);

/// Whether a device can run so many groups of this size, with so many bytes of local memory asked for at launch. Throws K22, K23, K44.
void check_groups(const device& on, const compiled_kernel& kernel, const launch_range& range, std::uint64_t local_bytes);
/// The same of one group of so many items, where each needs that much. Throws K22, K23.
void check_group(const device& on, const kernel_code& code, const group_needs& own, std::int64_t items, std::uint64_t local_bytes);

/// Whether a launch can be at all: what every backend asks before it enqueues. Throws K20 to K24, K44.
void check_launch(const device& on, const compiled_kernel& kernel, const launch_range& range,
                  std::span<const launch_argument> arguments);

}  // namespace stretto::device
