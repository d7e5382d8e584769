#include "report/json_scanner.hpp"

#include <charconv>
#include <cstring>
#include <limits>

namespace stretto::report {
namespace {

constexpr unsigned deepest = 64;

void append_utf8(std::string& to, std::uint32_t code) {
  if (code < 0x80) {
    to += static_cast<char>(code);
    return;
  }
  if (code < 0x800) {
    to += static_cast<char>(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      to += static_cast<char>(0xe0 | code >> 12);
    } else {
      to += static_cast<char>(0xf0 | code >> 18);
      to += static_cast<char>(0x80 | (code >> 12 & 63));
    }
    to += static_cast<char>(0x80 | (code >> 6 & 63));
  }
  to += static_cast<char>(0x80 | (code & 63));
}

}  // namespace

void scanner::fail() noexcept {
  if (failed_) return;
  failed_ = true;
  ended_ = at_ == end_;
}

std::string_view scanner::text_with_escapes(const char* first, std::string& store) {
  store.assign(first, at_);
  while (at_ != end_ && *at_ != '"' && !failed_) {
    if (*at_ != '\\') {
      store += *at_++;
      continue;
    }
    ++at_;
    escape(store);
  }
  if (at_ == end_) fail();
  if (failed_) return {};
  ++at_;
  return store;
}

void scanner::escape(std::string& to) {
  if (at_ == end_) return fail();
  const char c = *at_++;
  switch (c) {
    case '"':
    case '\\':
    case '/': to += c; return;
    case 'b': to += '\b'; return;
    case 'f': to += '\f'; return;
    case 'n': to += '\n'; return;
    case 'r': to += '\r'; return;
    case 't': to += '\t'; return;
    case 'u': break;
    default: --at_; return fail();
  }
  std::uint32_t code = four_hex();
  if (code >= 0xd800 && code < 0xdc00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u') {
    const char* before = at_;
    at_ += 2;
    const std::uint32_t low = four_hex();
    if (low >= 0xdc00 && low < 0xe000) code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    else at_ = before;
  }
  if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
  if (!failed_) append_utf8(to, code);
}

std::uint32_t scanner::four_hex() noexcept {
  std::uint32_t code = 0;
  if (end_ - at_ < 4) {
    at_ = end_;
    fail();
    return 0;
  }
  const auto [stopped, fault] = std::from_chars(at_, at_ + 4, code, 16);
  if (fault != std::errc() || stopped != at_ + 4) {
    fail();
    return 0;
  }
  at_ += 4;
  return code;
}

std::int64_t scanner::thousandths() noexcept {
  blank();
  const char* first = at_;
  const bool negative = at_ != end_ && *at_ == '-';
  if (negative) ++at_;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 20000;
  std::int64_t value = 0;
  const char* digits = at_;
  for (; at_ != end_ && is_digit(*at_); ++at_)
    if (value < most) value = value * 10 + (*at_ - '0');
  if (digits == at_) {
    fail();
    return 0;
  }
  value *= 1000;
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    std::int64_t unit = 100;
    for (; at_ != end_ && is_digit(*at_); ++at_, unit /= 10) value += (*at_ - '0') * unit;
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {  // other writers' numbers; ours have no exponent
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    double wide = 0;
    std::from_chars(first, at_, wide);
    wide *= 1000;
    constexpr double limit = 4e17;
    return static_cast<std::int64_t>(wide < -limit ? -limit : wide > limit ? limit : wide);
  }
  if (at_ == end_) fail();  // a number at the very end may have lost digits
  return negative ? -value : value;
}

std::uint64_t scanner::unusual_integer() noexcept {
  std::uint64_t value = 0;
  const char* first = at_;
  if (at_ != end_ && *at_ == '-') ++at_;
  const auto [stopped, fault] = std::from_chars(at_, end_, value);
  if (fault == std::errc::result_out_of_range) value = std::numeric_limits<std::uint64_t>::max();
  at_ = stopped;
  while (at_ != end_ && (is_digit(*at_) || *at_ == '.' || *at_ == 'e' || *at_ == 'E' || *at_ == '+' || *at_ == '-'))
    ++at_;
  if (at_ == first || at_ == end_) fail();
  return *first == '-' ? 0 : value;
}

void scanner::skip(unsigned depth) {
  if (depth > deepest) return fail();
  switch (peek()) {
    case '{': object([&](std::string_view) { skip(depth + 1); }); return;
    case '[': array([&] { skip(depth + 1); }); return;
    case '"': {
      std::string store;
      text(store);
      return;
    }
    default: break;
  }
  for (std::string_view word : {"true", "false", "null"})
    if (static_cast<std::size_t>(end_ - at_) >= word.size() && std::memcmp(at_, word.data(), word.size()) == 0) {
      at_ += word.size();
      return;
    }
  thousandths();
}

std::uint64_t number_in(std::string_view text) noexcept {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [stopped, fault] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return fault == std::errc() && stopped == text.data() + text.size() ? value : 0;
}

}  // namespace stretto::report
