// parcel.hpp - the bytes of a message with its attachments, and the source of further bytes for a reader.
#pragma once

#include <stretto/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

STRETTO_API_BEGIN

namespace stretto::detail {

[[noreturn]] void refuse_fields(const char* what, std::uint64_t wanted, std::uint64_t left);

/// A large part of a value that is sent from its own memory. It follows the first `behind` bytes.
struct part_apart {
  std::size_t behind = 0;
  std::span<const std::byte> bytes = {};
};

/// The bytes of a message, and the objects that it only names. These live until no receiver can request them any more.
/// Copies share them.
struct parcel {
  std::vector<std::byte> bytes;
  std::vector<std::shared_ptr<const void>> along = {};
  bool may_be_read_twice = false;
  bool are_values_kept = false;  // the writer keeps the values and may write them again
  bool holds_content = false;    // elements of objects instead of names, because no sender exists when it is read
  std::size_t apart_from = 0;    // parts of the value of at least this size are sent from their memory; 0: none
  std::vector<part_apart> apart = {};
};

/// The source of further bytes behind those that a reader was given.
class more_bytes {
 public:
  virtual ~more_bytes() = default;
  virtual std::uint64_t left() const noexcept = 0;
  /// Reads n bytes, more than `given` has but no more than both have together. May suspend the task. Afterwards `given`
  /// has the bytes that follow.
  virtual void read(std::span<const std::byte>& given, std::byte* first, std::size_t n) = 0;
};

}  // namespace stretto::detail

STRETTO_API_END
