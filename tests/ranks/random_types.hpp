// random_types.hpp - random derived datatypes, each with its model.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "ranks/datatypes/type_constructors.hpp"
#include "ranks/type_model.hpp"

namespace stretto::test {

struct modelled_type {
  ranks::datatype_ref type;
  type_model model;
};

/// Makes types of every constructor, nested up to a depth and with few hundred elements.
class random_types {
 public:
  explicit random_types(std::uint64_t seed) : random_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

  /// A committed type.
  modelled_type next() {
    modelled_type made = make(static_cast<int>(number(1, 4)));
    made.type->commit();
    return made;
  }

  modelled_type basic() {
    const auto all = ranks::basic_types();
    const ranks::basic_type& chosen = all[static_cast<std::size_t>(number(0, std::ssize(all) - 1))];
    return {ranks::datatype_ref(ranks::predefined_type(chosen.number)), type_model::of(chosen)};
  }

 private:
  modelled_type make(int depth) {
    if (depth == 0) return basic();
    const modelled_type child = make(depth - 1);
    const std::int64_t most = child.model.elements.size() > 60 ? 2 : 4;
    switch (number(0, 8)) {
      case 0: return contiguous(child, number(0, most));
      case 1: return vector(child, most);
      case 2: return hvector(child, most);
      case 3: return indexed(child, most);
      case 4: return indexed_block(child, most);
      case 5: return structure(child, make(depth - 1));
      case 6: return subarray(child);
      case 7: return darray(child);
      default: return resized(child);
    }
  }

  std::vector<std::int64_t> list(std::int64_t length, std::int64_t least, std::int64_t most) {
    std::vector<std::int64_t> numbers;
    while (std::ssize(numbers) < length) numbers.push_back(number(least, most));
    return numbers;
  }

  modelled_type contiguous(const modelled_type& child, std::int64_t count) {
    if (number(0, 3) == 0) return {ranks::make_dup(*child.type), child.model};
    type_model model;
    model.place_block(child.model, count, 0);
    return {ranks::make_contiguous(count, *child.type), model};
  }

  modelled_type vector(const modelled_type& child, std::int64_t most) {
    const std::int64_t count = number(0, most), length = number(0, 3), stride = number(-5, 5);
    type_model model;
    for (std::int64_t i = 0; i < count; ++i) model.place_block(child.model, length, i * stride * child.model.extent());
    return {ranks::make_vector(count, length, stride, *child.type), model};
  }

  modelled_type hvector(const modelled_type& child, std::int64_t most) {
    const std::int64_t count = number(0, most * 4), stride = number(-40, 80);
    type_model model;
    for (std::int64_t i = 0; i < count; ++i) model.place_block(child.model, 1, i * stride);
    return {ranks::make_hvector(count, 1, stride, *child.type), model};
  }

  modelled_type indexed(const modelled_type& child, std::int64_t most) {
    const bool is_in_bytes = number(0, 1) == 1;
    const auto lengths = list(number(0, most), 0, 3);
    const auto displacements = list(std::ssize(lengths), -20, 40);
    const std::int64_t unit = is_in_bytes ? 1 : child.model.extent();
    type_model model;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      model.place_block(child.model, lengths[i], displacements[i] * unit);
    }
    if (is_in_bytes) return {ranks::make_hindexed(lengths, displacements, *child.type), model};
    return {ranks::make_indexed(lengths, displacements, *child.type), model};
  }

  modelled_type indexed_block(const modelled_type& child, std::int64_t most) {
    const bool is_in_bytes = number(0, 1) == 1;
    const std::int64_t length = number(0, 2), unit = is_in_bytes ? 1 : child.model.extent();
    const auto displacements = list(number(0, 2 * most), -20, 40);
    type_model model;
    for (const std::int64_t displacement : displacements) {
      model.place_block(child.model, length, displacement * unit);
    }
    if (is_in_bytes) return {ranks::make_hindexed_block(length, displacements, *child.type), model};
    return {ranks::make_indexed_block(length, displacements, *child.type), model};
  }

  modelled_type structure(const modelled_type& a, const modelled_type& b) {
    const modelled_type c = basic();
    const auto lengths = list(3, 0, 2), displacements = list(3, -30, 90);
    const ranks::datatype* const types[] = {a.type.get(), c.type.get(), b.type.get()};
    type_model model;
    model.place_block(a.model, lengths[0], displacements[0]);
    model.place_block(c.model, lengths[1], displacements[1]);
    model.place_block(b.model, lengths[2], displacements[2]);
    return {ranks::make_struct(lengths, displacements, types), model};
  }

  modelled_type resized(const modelled_type& child) {
    const std::int64_t lb = number(-10, 10), extent = number(0, 100);
    type_model model = child.model;
    model.lower_mark = lb;
    model.upper_mark = lb + extent;
    return {ranks::make_resized(*child.type, lb, extent), model};
  }

  /// Calls `visit` with the indices of all elements of an array, in the order of memory.
  template <typename Visit>
  static void visit_array(const std::vector<std::int64_t>& sizes, ranks::array_order order, const Visit& visit) {
    const std::size_t dimensions = sizes.size();
    std::int64_t all = 1;
    for (const std::int64_t size : sizes) all *= size;
    std::vector<std::int64_t> index(dimensions);
    for (std::int64_t i = 0; i < all; ++i) {
      std::int64_t rest = i;
      for (std::size_t d = 0; d < dimensions; ++d) {
        const std::size_t dimension = order == ranks::array_order::c ? dimensions - 1 - d : d;
        index[dimension] = rest % sizes[dimension];
        rest /= sizes[dimension];
      }
      visit(index, i);
    }
  }

  ranks::array_order any_order() { return number(0, 1) == 0 ? ranks::array_order::c : ranks::array_order::fortran; }

  static void mark_array(type_model& model, const type_model& child, const std::vector<std::int64_t>& sizes) {
    std::int64_t bytes = child.extent();
    for (const std::int64_t size : sizes) bytes *= size;
    model.lower_mark = 0;
    model.upper_mark = bytes;
  }

  modelled_type subarray(const modelled_type& child) {
    const ranks::array_order order = any_order();
    std::vector<std::int64_t> sizes = list(number(1, 3), 1, 4), parts, starts;
    for (const std::int64_t size : sizes) {
      parts.push_back(number(1, size));
      starts.push_back(number(0, size - parts.back()));
    }
    type_model model;
    visit_array(sizes, order, [&](const std::vector<std::int64_t>& index, std::int64_t position) {
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (index[d] < starts[d] || index[d] >= starts[d] + parts[d]) return;
      }
      model.place(child.model, position * child.model.extent());
    });
    mark_array(model, child.model, sizes);
    return {ranks::make_subarray(sizes, parts, starts, order, *child.type), model};
  }

  /// The process that has an index of a distributed dimension.
  static std::int64_t owner_of(std::int64_t index, std::int64_t size, int kind, int argument, int processes) {
    if (kind == 16) return 0;
    const std::int64_t default_length = kind == 17 ? (size + processes - 1) / processes : 1;
    const std::int64_t length = argument == ranks::default_distribution_argument ? default_length : argument;
    return index / length % processes;
  }

  modelled_type darray(const modelled_type& child) {
    const std::vector<std::int64_t> sizes = list(number(1, 3), 1, 5);
    const std::size_t dimensions = sizes.size();
    std::vector<int> kinds, arguments, processes;
    ranks::array_distribution array;
    for (const std::int64_t size : sizes) {
      kinds.push_back(static_cast<int>(number(16, 18)));
      processes.push_back(kinds.back() == 16 ? 1 : static_cast<int>(number(1, 3)));
      const std::int64_t least = kinds.back() == 17 ? (size + processes.back() - 1) / processes.back() : 1;
      arguments.push_back(number(0, 1) == 0 ? ranks::default_distribution_argument
                                            : static_cast<int>(number(least, least + 2)));
      array.size *= processes.back();
    }
    array.rank = static_cast<int>(number(0, array.size - 1));
    array.sizes = sizes;
    array.distributions = kinds;
    array.arguments = arguments;
    array.processes = processes;
    array.order = any_order();
    type_model model;
    visit_array(sizes, array.order, [&](const std::vector<std::int64_t>& index, std::int64_t position) {
      std::int64_t owner = 0;
      for (std::size_t d = 0; d < dimensions; ++d) {
        owner = owner * processes[d] + owner_of(index[d], sizes[d], kinds[d], arguments[d], processes[d]);
      }
      if (owner == array.rank) model.place(child.model, position * child.model.extent());
    });
    mark_array(model, child.model, sizes);
    return {ranks::make_darray(array, *child.type), model};
  }

  std::mt19937_64 random_;
};

}  // namespace stretto::test
