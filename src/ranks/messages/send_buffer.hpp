// send_buffer.hpp - the memory that a program attached for its buffered sends.
//
// Messages are copied to memory of the receiving rank; of the attached memory only the size counts. So it is never
// fragmented, and detaching returns memory that nobody has written to.
//
// Threads     any; attach and detach: one at a time.
#pragma once

#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "ranks/messages/early_capacity.hpp"
#include "ranks/messages/request.hpp"

namespace stretto::ranks {

class send_buffer final : public early_capacity {
 public:
  /// A message takes so much beyond its bytes. It is less than MPI_BSEND_OVERHEAD: programs attach no more than other
  /// libraries need.
  static constexpr std::int64_t overhead = 64;

  /// The address and the capacity of memory without a limit.
  static constexpr std::uintptr_t automatic = 2;
  static constexpr std::int64_t unlimited = std::int64_t{1} << 62;

  /// Throws call_error(buffer) if memory is attached. Automatic memory (MPI_BUFFER_AUTOMATIC) has no limit.
  void attach(void* memory, std::int64_t bytes);
  /// Returns once all messages have been received. Throws call_error(buffer) if no memory is attached.
  std::pair<void*, std::int64_t> detach(const std::source_location& where = std::source_location::current());
  /// Returns once all messages that use it now have been received (MPI_Buffer_flush).
  void flush(const std::source_location& where = std::source_location::current());
  /// The same as a request, which is active.
  request_owner start_flush();
  bool is_attached() const;

  /// A message of so many bytes has been copied aside. Throws call_error(buffer) if it does not fit.
  void reserve(std::int64_t bytes);
  /// It has been received.
  void release(std::int64_t bytes) noexcept override;

 private:
  bool add_wait(request& emptied);

  mutable base::spin_lock lock_;
  void* memory_ = nullptr;
  std::int64_t capacity_ = 0;
  std::int64_t used_ = 0;
  bool is_attached_ = false;
  std::vector<request*> waits_;  // until nothing is used
};

}  // namespace stretto::ranks
