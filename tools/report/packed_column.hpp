// packed_column.hpp - columns of numbers as the page carries them: few bytes each, compressed, as text.
//
// Threads     values.
// Cost        a million records with their arrows: 12 MB packed, about 7 MB as text, in 0.3 s of processor time.
//
// A number is stored seven bits to a byte, lowest first, the highest bit set where more follow (LEB128). Columns store
// differences where neighbours are alike, so that most numbers are one or two bytes. page/data.js unpacks them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::report {

class column_packer {
 public:
  struct column {
    std::string name;
    std::size_t at = 0;  // of its first byte
    std::size_t count = 0;
    std::uint64_t most = 0;  // the largest number
  };

  /// Further numbers belong to this column.
  void begin(std::string name) { columns_.push_back({std::move(name), bytes_.size()}); }
  void add(std::uint64_t number) {
    column& to = columns_.back();
    ++to.count;
    if (number > to.most) to.most = number;
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }
  /// A number that may be negative: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
  void add_signed(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    add(number < 0 ? ~(bits << 1) : bits << 1);
  }
  template <class Count, class F>
  void add_column(std::string name, Count count, F&& value) {
    begin(std::move(name));
    for (Count i = 0; i < count; ++i) add(static_cast<std::uint64_t>(value(i)));
  }

  const std::vector<column>& columns() const noexcept { return columns_; }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::vector<column> columns_;
  std::string bytes_;
};

/// In the format of RFC 1950, which browsers call "deflate".
std::string compressed(std::string_view bytes);
std::string base64(std::string_view bytes);

}  // namespace stretto::report
