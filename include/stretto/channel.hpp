// channel.hpp - channels: a module's implementation of copies between two kinds of memory, such as device to file.
//
//     class file_channel : public channel {  // copies host memory to a file; the address is an offset in it
//      public:
//       explicit file_channel(std::FILE* to) : to_(to) {}
//       void start(const copy_end& source, const copy_end& target, const copy_extent& extent,
//                  copy_done&& done) override {
//         copy_done ended = std::move(done);
//         std::fseek(to_, static_cast<long>(reinterpret_cast<std::intptr_t>(target.address)), SEEK_SET);
//         if (std::fwrite(source.address, 1, extent.row_bytes, to_) == extent.row_bytes) ended.succeed();
//         else ended.fail(std::make_exception_ptr(std::runtime_error("the disk is full")));
//       }
//       double bandwidth_bytes_per_second(place, place) const override { return 1e9; }
//       double latency_seconds(place, place) const override { return 1e-4; }
//
//      private:
//       std::FILE* to_;
//     };
//
// Threads     the runtime calls start on any of its threads. Only threads of the runtime may use a copy_done: a worker,
//             inside a poll, or an attached thread.
// Memory      tasks that wait for the copy see the bytes that were written before succeed().
// Invariants  (1) each start that returns is followed by one succeed or fail, perhaps before it returns. (2) a channel
//             accesses source and target only between start and that call.
// Source      Realm's direct memory access channels, one per pair of kinds of memory.
#pragma once

#include <stretto/place.hpp>

#include <cstddef>
#include <exception>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
struct copy_done_access;
}

/// The size of a copy of up to three dimensions: bytes per row, rows per plane, planes.
struct copy_extent {
  std::size_t row_bytes = 0, rows = 1, planes = 1;  // bytes per row, rows per plane, planes

  /// The number of bytes in all.
  constexpr std::size_t bytes() const noexcept { return row_bytes * rows * planes; }
};

/// One end of a copy. Strides are in bytes, from one row or plane to the next.
struct copy_end {
  place memory;                                  // invalid: host memory of the program
  std::byte* address = nullptr;                  // as the memory's module defines it
  std::size_t row_stride = 0, plane_stride = 0;  // in bytes
};

/// The completion of a copy, which a channel must call. Move-only. Its destruction without a call fails the copy with
/// M08.
class copy_done {
 public:
  copy_done() noexcept = default;
  copy_done(copy_done&& other) noexcept;
  copy_done& operator=(copy_done&& other) noexcept;
  ~copy_done();

  /// Whether the copy has not ended.
  explicit operator bool() const noexcept { return copy_; }
  /// Ends the copy: the target has the bytes.
  void succeed() noexcept;
  /// Fails the copy: its event is poisoned with `why`.
  void fail(std::exception_ptr why) noexcept;

 private:
  friend struct detail::copy_done_access;
  void* copy_ = nullptr;
};

/// The base class of channels. A module passes its channels to module_host::add_channel.
class channel {
 public:
  virtual ~channel() = default;

  /// Starts the copy and returns. The channel moves from `done` and calls it when the target has the bytes. An
  /// exception that it throws before moving from `done` fails the copy.
  virtual void start(const copy_end& source, const copy_end& target, const copy_extent& extent, copy_done&& done) = 0;

  /// The bandwidth of a large copy between these memories, in bytes per second, for the choice of routes. 0 if the
  /// channel does not connect these two memories. An unmeasured host copy counts as 10e9. Must never throw.
  virtual double bandwidth_bytes_per_second(place source, place target) const = 0;
  /// The time until the first byte arrives, in seconds. An unmeasured host copy counts as 100e-9. Must never throw.
  virtual double latency_seconds(place source, place target) const = 0;
};

}  // namespace stretto

STRETTO_API_END
