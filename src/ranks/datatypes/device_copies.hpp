// device_copies.hpp - the copies of one message or access, of which the drivers of devices make those that the host
// cannot make.
//
// Threads     one at a time; after start() none.
// Cost        a stream for each memory that takes part. Between memories that do not reach each other, data goes by way
//             of memory of the host.
// Invariants  (1) copies of one object do not overlap, so their order is free.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "platform/work_item.hpp"
#include "ranks/datatypes/device_memory.hpp"

namespace stretto::ranks {

class device_copies {
 public:
  device_copies() = default;
  device_copies(const device_copies&) = delete;

  /// Adds a copy of rows of `bytes` bytes, between any two memories. One within memory of the host is made at once.
  void add(const memory_rows& to, const memory_rows& from, std::int64_t bytes, std::int64_t rows);

  /// Blocks the thread until all copies have been made, as callers must that hold locks. Throws what a driver reports.
  void finish();

  /// Calls `end` once, with a failure or null, when all copies have been made, from this call or from any thread of the
  /// runtime. `end` may destroy the object.
  void start(std::function<void(std::exception_ptr)> end);

 private:
  /// The copies that one memory makes.
  struct used_stream : places::completion {
    used_stream(device_copies& by, device_memory& memory);
    static void ended(places::work_item& self) noexcept;

    device_copies& of;
    device_memory& on;
    std::unique_ptr<copy_stream> is;
  };
  /// Bytes that are on their way through memory of the host.
  struct staged_copy {
    std::vector<std::byte> bytes;
    device_memory& target;
    memory_rows to;
    std::int64_t row, rows;
  };

  copy_stream& stream_of(device_memory& memory);
  /// The second half of staged copies; false if there are none.
  bool begin_second_half();
  void begin_waiting();
  void end_one(std::exception_ptr failure) noexcept;

  std::vector<staged_copy> staged_, arriving_;  // on their way to the host, and from there
  std::list<used_stream> streams_;              // destroyed first: they may still use that memory

  // After start().
  std::function<void(std::exception_ptr)> end_;
  std::atomic<std::size_t> pending_{0};
  std::atomic<bool> has_failed_{false};
  std::exception_ptr failure_;  // the first one; written by the thread that set has_failed_
};

/// Copies bytes whose sides may be in the memory of any device. Blocks the thread.
void copy_by_drivers(std::byte* to, const std::byte* from, std::int64_t bytes);
inline void copy_anywhere(std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (has_device_memory()) [[unlikely]]
    copy_by_drivers(to, from, bytes);
  else std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace stretto::ranks
