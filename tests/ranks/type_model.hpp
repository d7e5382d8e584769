// type_model.hpp - an oracle for datatypes: each basic element with its displacement, listed one by one as MPI defines
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ranks/datatypes/basic_type.hpp"

namespace stretto::test {

struct model_element {
  const ranks::basic_type* basic;
  std::int64_t displacement;
};

struct type_model {
  std::vector<model_element> elements;
  std::optional<std::int64_t> lower_mark, upper_mark;

  static type_model of(const ranks::basic_type& basic) { return {{{&basic, 0}}, {}, {}}; }

  /// Appends a copy of another type at a displacement.
  void place(const type_model& other, std::int64_t displacement) {
    for (const model_element& e : other.elements) elements.push_back({e.basic, e.displacement + displacement});
    if (other.lower_mark) {
      const std::int64_t mark = *other.lower_mark + displacement;
      lower_mark = lower_mark ? std::min(*lower_mark, mark) : mark;
    }
    if (other.upper_mark) {
      const std::int64_t mark = *other.upper_mark + displacement;
      upper_mark = upper_mark ? std::max(*upper_mark, mark) : mark;
    }
  }
  void place_block(const type_model& other, std::int64_t length, std::int64_t displacement) {
    const std::int64_t step = other.extent();
    for (std::int64_t i = 0; i < length; ++i) place(other, displacement + i * step);
  }

  std::int64_t size() const {
    std::int64_t bytes = 0;
    for (const model_element& e : elements) bytes += e.basic->size;
    return bytes;
  }
  std::int64_t true_lb() const {
    std::int64_t lb = elements.empty() ? 0 : elements[0].displacement;
    for (const model_element& e : elements) lb = std::min(lb, e.displacement);
    return lb;
  }
  std::int64_t true_ub() const {
    std::int64_t ub = elements.empty() ? 0 : elements[0].displacement + elements[0].basic->size;
    for (const model_element& e : elements) ub = std::max(ub, e.displacement + e.basic->size);
    return ub;
  }
  std::int64_t lb() const { return lower_mark.value_or(true_lb()); }
  std::int64_t ub() const {
    if (upper_mark) return *upper_mark;
    std::int64_t alignment = 1;
    for (const model_element& e : elements) alignment = std::max<std::int64_t>(alignment, e.basic->alignment);
    std::int64_t bytes = true_ub() - lb();
    while (bytes % alignment != 0) ++bytes;
    return lb() + bytes;
  }
  std::int64_t extent() const { return ub() - lb(); }

  /// The displacement of each byte of `count` elements, in their order.
  std::vector<std::int64_t> bytes(std::int64_t count) const {
    std::vector<std::int64_t> all;
    const std::int64_t step = extent();
    for (std::int64_t i = 0; i < count; ++i) {
      for (const model_element& e : elements) {
        for (int b = 0; b < e.basic->size; ++b) all.push_back(i * step + e.displacement + b);
      }
    }
    return all;
  }
};

/// Memory for `count` elements, some of whose displacements are negative.
class element_memory {
 public:
  element_memory(const type_model& model, std::int64_t count) {
    std::int64_t first = 0, last = 0;
    for (const std::int64_t displacement : model.bytes(count)) {
      first = std::min(first, displacement);
      last = std::max(last, displacement + 1);
    }
    before_ = -first;
    bytes.resize(static_cast<std::size_t>(last - first));
  }
  /// Where displacements count from.
  std::byte* origin() { return bytes.data() + before_; }
  std::byte& at(std::int64_t displacement) { return bytes[static_cast<std::size_t>(before_ + displacement)]; }
  /// Fills it with bytes that differ.
  void fill(unsigned seed) {
    for (std::byte& b : bytes) b = static_cast<std::byte>((seed = seed * 1664525 + 1013904223) >> 24);
  }

  std::vector<std::byte> bytes;

 private:
  std::int64_t before_ = 0;
};

}  // namespace stretto::test
