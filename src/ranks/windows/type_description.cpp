#include "ranks/windows/type_description.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "ranks/collectives/reduction_operation.hpp"
#include "ranks/datatypes/type_constructors.hpp"

namespace stretto::ranks {
namespace {

constexpr std::uintptr_t number_of_bytes = 0x247;  // MPI_BYTE

/// A type without parts that an accumulate could be of.
bool is_element(const datatype& type) {
  return type.basic() || std::ranges::any_of(pair_types(), [&](const pair_type& pair) {
           return predefined_type(pair.number) == &type;
         });
}

/// Element, bounds, and pairs of a displacement and a length of runs.
constexpr std::size_t head_length = 3;

class run_list {
 public:
  run_list(std::vector<std::int64_t>& numbers, bool in_bytes) : numbers_(numbers), in_bytes_(in_bytes) {}

  void add(const datatype& type, std::int64_t count, std::int64_t offset) {
    if (count == 0 || type.size() == 0) return;
    const bool is_run = type.basic() || (!in_bytes_ && is_element(type));
    if (is_run) return append(offset, in_bytes_ ? count * type.size() : count, in_bytes_ ? 1 : type.extent());
    const type_map& map = type.map();
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t j = 0; j < map.count; ++j)
        for (const type_block& block : map.blocks)
          add(*block.type, block.length, offset + i * type.extent() + j * map.stride + block.displacement);
  }

 private:
  void append(std::int64_t offset, std::int64_t length, std::int64_t extent) {
    const std::size_t size = numbers_.size();
    const bool follows = size > head_length && numbers_[size - 2] + numbers_[size - 1] * extent == offset;
    if (follows) numbers_[size - 1] += length;
    else numbers_.insert(numbers_.end(), {offset, length});
  }

  std::vector<std::int64_t>& numbers_;
  const bool in_bytes_;
};

}  // namespace

const datatype* element_type(const datatype& type) {
  if (is_element(type)) return &type;
  const datatype* found = nullptr;
  for (const type_block& block : type.map().blocks) {
    if (block.length == 0 || block.type->size() == 0) continue;
    const datatype* const element = element_type(*block.type);
    if (!element || (found && found != element)) return nullptr;
    found = element;
  }
  return found;
}

std::vector<std::int64_t> description_of(const datatype& type) {
  const datatype* const element = element_type(type);
  const auto number = element ? reinterpret_cast<std::uintptr_t>(handle_of(*element)) : number_of_bytes;
  std::vector<std::int64_t> numbers{static_cast<std::int64_t>(number), type.bounds().lb, type.extent()};
  run_list(numbers, element == nullptr).add(type, 1, 0);
  return numbers;
}

datatype_ref described_type(std::span<const std::int64_t> description) {
  const datatype& element = *predefined_type(static_cast<std::uintptr_t>(description[0]));
  const std::array<std::int64_t, 5> itself{description[0], element.bounds().lb, element.extent(), 0, 1};
  if (std::ranges::equal(description, itself)) return datatype_ref(&element);
  std::vector<std::int64_t> lengths, displacements;
  for (std::size_t i = head_length; i < description.size(); i += 2) {
    displacements.push_back(description[i]);
    lengths.push_back(description[i + 1]);
  }
  datatype_ref made = make_resized(*make_hindexed(lengths, displacements, element), description[1], description[2]);
  made->commit();
  return made;
}

}  // namespace stretto::ranks
