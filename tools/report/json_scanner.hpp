// json_scanner.hpp - reads JSON piece by piece from text that may end anywhere.
//
// Threads     a value over text that must outlive it.
// Cost        one pass, about 2 ns per byte of small members, no allocation but for texts with escapes. The 300 MB of a
//             million records are why this is not the JSON library: its event reader alone takes longer than a whole
//             report may. They are also why what is called for every member stands here, to be inlined.
// Errors      none are thrown: when something is not JSON or the text ends, failed() stays true from then on.
//             Depth is bounded (64), so hostile nesting cannot exhaust the stack.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace stretto::report {

class scanner {
 public:
  explicit scanner(std::string_view text) noexcept : at_(text.data()), begin_(at_), end_(at_ + text.size()) {}

  bool failed() const noexcept { return failed_; }
  /// Whether the failure was that the text is over: a file cut off, not a foreign one.
  bool ended() const noexcept { return ended_; }
  std::size_t offset() const noexcept { return before_ + static_cast<std::size_t>(at_ - begin_); }
  /// Characters of the text behind the current one.
  std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  /// Goes on in another text: it begins with what is left of this one.
  void go_on_in(std::string_view text) noexcept {
    before_ = offset();
    at_ = begin_ = text.data();
    end_ = at_ + text.size();
  }

  /// Takes `c` if it is the next character after white space.
  bool take(char c) noexcept {
    if (failed_ || peek() != c || at_ == end_) return false;
    ++at_;
    return true;
  }
  /// The next character after white space, 0 at the end.
  char peek() noexcept {
    blank();
    return at_ == end_ ? '\0' : *at_;
  }
  /// Takes `c` or fails.
  void expect(char c) noexcept {
    if (!take(c)) fail();
  }

  /// A text; without escapes a view of the file, else of `store`. Half surrogates become U+FFFD.
  std::string_view text(std::string& store) {
    expect('"');
    if (failed_) return {};
    const char* const first = at_;
    to_quote_or_escape();
    if (at_ != end_ && *at_ == '"') [[likely]]
      return {first, static_cast<std::size_t>(at_++ - first)};
    return text_with_escapes(first, store);
  }
  /// A number in thousandths, rounded: microseconds as nanoseconds, exactly. Out of range saturates.
  std::int64_t thousandths() noexcept;
  std::uint64_t integer() noexcept {
    blank();
    std::uint64_t value = 0;
    const char* const first = at_;
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 16;
    for (; at_ != end_ && is_digit(*at_) && value < most; ++at_) value = value * 10 + static_cast<unsigned>(*at_ - '0');
    if (at_ != end_ && at_ != first && (*at_ == ',' || *at_ == '}' || *at_ == ']')) [[likely]]
      return value;
    at_ = first;
    return unusual_integer();
  }
  /// With a sign; out of range saturates.
  std::int64_t whole() noexcept {
    blank();
    const bool is_negative = at_ != end_ && *at_ == '-';
    if (is_negative) ++at_;
    const auto value =
        static_cast<std::int64_t>(std::min<std::uint64_t>(integer(), std::numeric_limits<std::int64_t>::max()));
    return is_negative ? -value : value;
  }
  /// Pieces of text that is known to be written in one way only, without white space or escapes: each is taken, or
  /// false. What was taken before a false one can be given back.
  template <std::size_t N>
  bool take_exactly(const char (&what)[N]) noexcept {
    if (left() < N || std::memcmp(at_, what, N - 1) != 0) return false;
    at_ += N - 1;
    return true;
  }
  bool take_digits(std::uint64_t& value) noexcept {
    const char* const first = at_;
    for (value = 0; at_ != end_ && is_digit(*at_); ++at_) value = value * 10 + static_cast<unsigned>(*at_ - '0');
    return at_ != first && at_ - first < 19 && at_ != end_;
  }
  bool take_hexadecimal(std::uint64_t& value) noexcept {
    const char* const first = at_;
    for (value = 0; at_ != end_; ++at_) {
      const unsigned digit = is_digit(*at_)               ? static_cast<unsigned>(*at_ - '0')
                             : *at_ >= 'a' && *at_ <= 'f' ? static_cast<unsigned>(*at_ - 'a') + 10
                                                          : 16;
      if (digit == 16) break;
      value = value << 4 | digit;
    }
    return at_ != first && at_ - first <= 16;
  }
  /// Digits, a point, three digits.
  bool take_thousandths(std::int64_t& value) noexcept {
    std::uint64_t whole = 0;
    const char* const first = at_;
    if (!take_digits(whole) || at_ - first > 15 || left() < 5 || *at_ != '.') return false;
    for (int i = 1; i <= 3; ++i) {
      if (!is_digit(at_[i])) return false;
      whole = whole * 10 + static_cast<unsigned>(at_[i] - '0');
    }
    at_ += 4;
    value = static_cast<std::int64_t>(whole);
    return !is_digit(*at_);
  }
  /// Up to a quote, which is taken too.
  bool take_to_quote(std::string_view& text) noexcept {
    const char* const first = at_;
    to_quote_or_escape();
    if (at_ == end_ || *at_ != '"') return false;
    text = {first, static_cast<std::size_t>(at_++ - first)};
    return true;
  }
  const char* mark() const noexcept { return at_; }
  void give_back_to(const char* mark) noexcept { at_ = mark; }

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
  static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  void blank() noexcept {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  /// Goes on to the next quote or backslash, or to the end: eight bytes at a time where there are so many. A byte is
  /// zero where subtracting one borrows from its highest bit (bit tricks of long standing; see H. S. Warren, "Hacker's
  /// Delight").
  void to_quote_or_escape() noexcept {
    if constexpr (std::endian::native == std::endian::little)
      for (; end_ - at_ >= 8; at_ += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, at_, 8);
        constexpr std::uint64_t ones = 0x0101010101010101;
        const std::uint64_t quote = eight ^ ones * '"', escape = eight ^ ones * '\\';
        const std::uint64_t found = (((quote - ones) & ~quote) | ((escape - ones) & ~escape)) & ones * 0x80;
        if (found == 0) continue;
        at_ += std::countr_zero(found) / 8;
        return;
      }
    while (at_ != end_ && *at_ != '"' && *at_ != '\\') ++at_;
  }
  std::string_view text_with_escapes(const char* first, std::string& store);
  std::uint64_t unusual_integer() noexcept;
  void fail() noexcept;
  void escape(std::string& to);
  std::uint32_t four_hex() noexcept;

  const char* at_;
  const char* begin_;
  const char* end_;
  std::size_t before_ = 0;  // characters of earlier texts
  bool failed_ = false;
  bool ended_ = false;
};

/// "0x2a" or "42" as a number, 0 if it is neither.
std::uint64_t number_in(std::string_view text) noexcept;

}  // namespace stretto::report
