// parcel.hpp - bytes of a message with the parts that it only names, and what a reader goes on with behind them.
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

/// A large part of a value that stays where it lies: it comes behind so many of the bytes.
struct part_apart {
  std::size_t behind = 0;
  std::span<const std::byte> bytes = {};
};

/// Values as the bytes of a message, and what these only name: it is there until nobody can come for it any more.
/// Copies share it.
struct parcel {
  std::vector<std::byte> bytes;
  std::vector<std::shared_ptr<const void>> along = {};
  bool may_be_read_twice = false;
  bool are_values_kept = false;  // by who writes them, to use them again
  bool holds_content = false;    // of objects too, not their names: nobody is there to be asked for it when it is read
  std::size_t apart_from = 0;    // parts of the value's own of so many bytes stay apart; 0: none
  std::vector<part_apart> apart = {};
};

/// What a reader goes on with behind the bytes that it was given.
class more_bytes {
 public:
  virtual ~more_bytes() = default;
  virtual std::uint64_t left() const noexcept = 0;
  /// n bytes, of which `given` has fewer, and both together enough; may suspend the task. Afterwards `given` is what
  /// follows.
  virtual void read(std::span<const std::byte>& given, std::byte* first, std::size_t n) = 0;
};

}  // namespace stretto::detail

STRETTO_API_END
