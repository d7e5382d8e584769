// node_words.hpp - what nodes tell one another of their programs: numbers and texts, one behind the other.
//
// Threads     a value.
// Invariants  (1) nothing is read beyond the end: what is missing reads as 0 or empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::buffers {

class node_words {
 public:
  node_words& put(std::uint64_t number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    all_.insert(all_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  node_words& put(std::string_view text) {
    put(text.size());
    const auto bytes = std::as_bytes(std::span(text));
    all_.insert(all_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  std::span<const std::byte> all() const noexcept { return all_; }

 private:
  std::vector<std::byte> all_;
};

class node_words_reader {
 public:
  explicit node_words_reader(std::span<const std::byte> words) noexcept : left_(words) {}

  std::uint64_t number() noexcept {
    std::uint64_t n = 0;
    if (left_.size() < sizeof n) return left_ = {}, 0;
    std::memcpy(&n, left_.data(), sizeof n);
    left_ = left_.subspan(sizeof n);
    return n;
  }
  std::string text() {
    const std::size_t bytes = std::min<std::size_t>(number(), left_.size());
    std::string t(reinterpret_cast<const char*>(left_.data()), bytes);
    left_ = left_.subspan(bytes);
    return t;
  }
  bool is_over() const noexcept { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
};

}  // namespace stretto::buffers
