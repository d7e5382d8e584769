// scanner.hpp - reads JSON piece by piece from text that may end anywhere.
//
// Threads     a value over text that must outlive it.
// Cost        one pass, no allocation but for texts with escapes. The 300 MB of a million records
// are why this is not the
//             JSON library: its event reader alone takes longer than a whole report may.
// Errors      none are thrown: when something is not JSON or the text ends, failed() stays true
// from then on.
//             Depth is bounded (64), so hostile nesting cannot exhaust the stack.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stretto::report {

class scanner {
 public:
  explicit scanner(std::string_view text) noexcept : at_(text.data()), begin_(at_), end_(at_ + text.size()) {}

  bool failed() const noexcept { return failed_; }
  /// Whether the failure was that the text is over: a file cut off, not a foreign one.
  bool ended() const noexcept { return ended_; }
  std::size_t offset() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

  /// Takes `c` if it is the next character after white space.
  bool take(char c) noexcept;
  /// The next character after white space, 0 at the end.
  char peek() noexcept;
  /// Takes `c` or fails.
  void expect(char c) noexcept;

  /// A text; without escapes a view of the file, else of `store`. Half surrogates become U+FFFD.
  std::string_view text(std::string& store);
  /// A number in thousandths, rounded: microseconds as nanoseconds, exactly. Out of range saturates.
  std::int64_t thousandths() noexcept;
  std::uint64_t integer() noexcept;
  /// Skips one value of any type.
  void skip(unsigned depth = 0);

  /// Calls `member(key)` for each member of an object; it must read the value.
  template <class F>
  void object(F&& member) {
    expect('{');
    if (take('}')) return;
    std::string store;
    while (!failed_) {
      const std::string_view key = text(store);
      expect(':');
      if (!failed_) member(key);
      if (take(',')) continue;
      expect('}');
      return;
    }
  }
  template <class F>
  void array(F&& element) {
    expect('[');
    if (take(']')) return;
    while (!failed_) {
      element();
      if (take(',')) continue;
      expect(']');
      return;
    }
  }

 private:
  void blank() noexcept;
  void fail() noexcept;
  void escape(std::string& to);
  std::uint32_t four_hex() noexcept;

  const char* at_;
  const char* begin_;
  const char* end_;
  bool failed_ = false;
  bool ended_ = false;
};

/// "0x2a" or "42" as a number, 0 if it is neither.
std::uint64_t number_in(std::string_view text) noexcept;

}  // namespace stretto::report
