// floating_control.hpp - how a thread rounds, which floating-point errors trap, whether it flushes small numbers.
//
// After each task the control of the vector unit is compared with the usual one. That of the x87 alone is compared
// where a task suspends, and where a worker searches. Registers are read: a sum that shows how the thread rounds and
// flushes would set flags that the program may test, trap where it traps underflow, and take 50 ns on processors of
// Intel.
//
// Threads     each has its own control.
// Cost        is_in_force: 1 to 4 ns. now: 2 to 10 ns. set: up to 50 ns.
#pragma once

#include "base/config.hpp"

namespace stretto::base {

class floating_control {
 public:
  floating_control() noexcept = default;
  /// Of the calling thread.
  static floating_control now() noexcept { return floating_control(read_floating_words()); }
  /// For the calling thread, whose record of errors so far (fetestexcept) stays.
  void set() const noexcept { write_floating_words(words_); }

  bool has_vectors_of(std::uint32_t control) const noexcept { return words_.vectors == control; }
  /// The same as a number other than 0.
  std::uint64_t as_word() const noexcept {
    return std::uint64_t{1} << 63 | std::uint64_t{words_.x87} << 32 | words_.vectors;
  }
  static floating_control of_word(std::uint64_t word) noexcept {
    return floating_control({static_cast<std::uint32_t>(word), static_cast<std::uint16_t>(word >> 32)});
  }

  friend bool operator==(const floating_control&, const floating_control&) noexcept = default;

 private:
  explicit floating_control(floating_words words) noexcept : words_(words) {}
  floating_words words_;
};

/// The control that tasks of a runtime begin with: that of the thread which made the runtime.
class usual_floating_control {
 public:
  usual_floating_control() noexcept : is_(floating_control::now()) {}

  const floating_control& value() const noexcept { return is_; }
  /// Reads that of the vector unit alone.
  bool is_in_force() const noexcept { return is_.has_vectors_of(read_vector_control()); }
  void set() const noexcept { is_.set(); }
  /// Looks at all of it.
  void ensure() const noexcept {
    if (floating_control::now() != is_) [[unlikely]]
      is_.set();
  }

 private:
  floating_control is_;
};

/// While it lives, the usual control is in force, as where it begins so where it ends; then what was before.
class with_usual_control {
 public:
  explicit with_usual_control(const usual_floating_control& usual) noexcept : usual_(usual) {
    if (usual.is_in_force()) [[likely]]
      return;
    before_ = floating_control::now();
    was_other_ = true;
    usual.set();
  }
  with_usual_control(const with_usual_control&) = delete;
  ~with_usual_control() {
    if (was_other_) [[unlikely]]
      before_.set();
    else if (!usual_.is_in_force()) [[unlikely]] usual_.set();
  }

 private:
  const usual_floating_control& usual_;
  floating_control before_;
  bool was_other_ = false;
};

}  // namespace stretto::base
