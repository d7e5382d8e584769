// bytes.hpp - encodes and decodes messages between nodes: numbers and texts, read in the order in which they were
// written.
//
// The nodes of a job run the same program on the same kind of processor, so numbers are copied as they are in memory.
//
// Threads     none of its own.
// Invariants  (1) a reader never reads beyond the end: missing data reads as 0, empty or, by get_front, as it was, and
//             is_whole() is then false.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stretto::base {

class writer {
 public:
  template <class... T>
  explicit writer(const T&... numbers) {
    (put(numbers), ...);
  }

  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  [[gnu::always_inline]] writer& put(T number) {
    put_whole(number);
    return *this;
  }
  /// A structure of numbers without padding.
  template <class T>
    requires std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>
  [[gnu::always_inline]] writer& put_front(const T& numbers) {
    put_whole(numbers);
    return *this;
  }
  /// At most `most` characters of the text.
  writer& put_text(std::string_view text, std::size_t most) {
    text = text.substr(0, std::min<std::size_t>(most, 0xffff));
    put(static_cast<std::uint16_t>(text.size()));
    put_bytes(std::as_bytes(std::span(text)));
    return *this;
  }
  [[gnu::always_inline]] void put_bytes(std::span<const std::byte> bytes) {
    if (!fits_inline(bytes.size())) return put_on_heap(bytes);
    if (!bytes.empty()) std::memcpy(inline_bytes_ + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }

  /// Overwrites the first number that was put, which was of the same type.
  template <class T>
    requires std::is_arithmetic_v<T>
  void replace_first(T number) noexcept {
    std::memcpy(heap_bytes_.empty() ? inline_bytes_ : heap_bytes_.data(), &number, sizeof number);
  }

  std::size_t size() const noexcept { return used_; }
  std::span<const std::byte> all() const noexcept {
    return heap_bytes_.empty() ? std::span(inline_bytes_, used_) : std::span(heap_bytes_);
  }

 private:
  bool fits_inline(std::size_t bytes) const noexcept {
    return heap_bytes_.empty() && used_ + bytes <= sizeof inline_bytes_;
  }
  template <class T>
  [[gnu::always_inline]] void put_whole(const T& numbers) {
    if (!fits_inline(sizeof numbers)) return put_on_heap(std::as_bytes(std::span(&numbers, 1)));
    std::memcpy(inline_bytes_ + used_, &numbers, sizeof numbers);
    used_ += sizeof numbers;
  }
  [[gnu::noinline]] void put_on_heap(std::span<const std::byte> bytes) {
    // Spare capacity: a few fields behind a large part must not copy that part again.
    if (used_ + bytes.size() > heap_bytes_.capacity())
      heap_bytes_.reserve(std::max(2 * used_, used_ + bytes.size() + spare_heap_bytes));
    if (heap_bytes_.empty()) heap_bytes_.assign(inline_bytes_, inline_bytes_ + std::min(used_, sizeof inline_bytes_));
    heap_bytes_.insert(heap_bytes_.end(), bytes.begin(), bytes.end());
    used_ += bytes.size();
  }

  static constexpr std::size_t spare_heap_bytes = 256;
  std::byte inline_bytes_[160];  // enough for nearly all messages
  std::vector<std::byte> heap_bytes_;
  std::size_t used_ = 0;
};

class reader {
 public:
  explicit reader(std::span<const std::byte> bytes) noexcept : left_(bytes) {}

  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  [[gnu::always_inline]] T get() noexcept {
    return get_whole<T>();
  }
  /// Reads what put_front has written. Of too few bytes it reads nothing: `to` stays as it is.
  template <class T>
    requires std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>
  [[gnu::always_inline]] void get_front(T& to) noexcept {
    const auto bytes = get_bytes(sizeof to);
    if (!bytes.empty()) std::memcpy(&to, bytes.data(), sizeof to);
  }
  std::string get_text() { return get_text(get<std::uint16_t>()); }
  /// A text of that length, which was written as bytes.
  std::string get_text(std::size_t characters) {
    const auto bytes = get_bytes(characters);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  /// A view of the next `n` bytes; empty if fewer are left.
  [[gnu::always_inline]] std::span<const std::byte> get_bytes(std::size_t n) noexcept {
    if (n > left_.size()) {
      is_whole_ = false;
      n = 0;
    }
    const auto bytes = left_.first(n);
    left_ = left_.subspan(n);
    return bytes;
  }
  std::size_t left() const noexcept { return left_.size(); }
  /// The bytes cannot be what a node wrote: nothing more is read, and is_whole() is false.
  void refuse() noexcept {
    left_ = {};
    is_whole_ = false;
  }
  bool is_whole() const noexcept { return is_whole_; }

 private:
  template <class T>
  [[gnu::always_inline]] T get_whole() noexcept {
    T numbers{};
    const auto bytes = get_bytes(sizeof numbers);
    if (!bytes.empty()) std::memcpy(&numbers, bytes.data(), sizeof numbers);
    return numbers;
  }

  std::span<const std::byte> left_;
  bool is_whole_ = true;
};

}  // namespace stretto::base
