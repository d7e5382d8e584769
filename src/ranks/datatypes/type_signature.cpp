// type_signature.cpp - compares by hashes where it can, else run by run.
#include "ranks/datatypes/type_signature.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/checked_number.hpp"
#include "ranks/datatypes/type_constructors.hpp"

namespace stretto::ranks {

namespace {

/// Walks through runs of equal basic types.
class signature_cursor {
 public:
  signature_cursor(const datatype& type, std::int64_t count) {
    enter(type, count);
    next();
  }

  bool at_end() const { return run_ == 0; }
  const basic_type* basic() const { return basic_; }
  std::int64_t run() const { return run_; }
  void advance(std::int64_t elements) {
    run_ -= elements;
    if (run_ == 0) next();
  }

 private:
  /// `left` times the blocks of a type, of which `block` is the next.
  struct frame {
    const datatype* type;
    std::int64_t left;
    std::size_t block;
  };

  void enter(const datatype& type, std::int64_t count) {
    if (count == 0 || type.elements() == 0) return;
    if (!type.only_basic()) {
      frames_.push_back({&type, count * type.map().count, 0});
      return;
    }
    basic_ = type.only_basic();
    run_ = count * type.elements();
  }

  void next() {
    while (run_ == 0 && !frames_.empty()) {
      frame& top = frames_.back();
      const auto& blocks = top.type->map().blocks;
      if (top.block == blocks.size()) {
        top.block = 0;
        if (--top.left == 0) frames_.pop_back();
        continue;
      }
      const type_block& block = blocks[top.block++];
      enter(*block.type, block.length);
    }
  }

  std::vector<frame> frames_;
  const basic_type* basic_ = nullptr;
  std::int64_t run_ = 0;
};

bool is_packed(const datatype& type) { return type.only_basic() && type.only_basic()->number == 0x207; }

/// Whether `elements` of `received` are the message, by hashes; false may mean anything.
bool have_equal_hashes(const datatype& sent, std::int64_t count, const datatype& received,
                       std::int64_t received_count) {
  const std::int64_t elements = sent.elements() * count;
  if (received.elements() == 0 || elements % received.elements() != 0) return elements == 0;
  const std::int64_t whole = elements / received.elements();
  return whole <= received_count && repeat(sent.signature(), count) == repeat(received.signature(), whole);
}

}  // namespace

std::optional<signature_difference> compare_signatures(const datatype& sent, std::int64_t sent_count,
                                                       const datatype& received, std::int64_t received_count) {
  if (is_packed(sent) || is_packed(received)) return std::nullopt;
  if (have_equal_hashes(sent, sent_count, received, received_count)) return std::nullopt;
  signature_cursor from(sent, sent_count), to(received, received_count);
  for (std::int64_t index = 0; !from.at_end();) {
    if (to.at_end()) return signature_difference{index, from.basic(), nullptr};
    if (from.basic() != to.basic()) return signature_difference{index, from.basic(), to.basic()};
    const std::int64_t elements = std::min(from.run(), to.run());
    index += elements;
    from.advance(elements);
    to.advance(elements);
  }
  return std::nullopt;
}

std::optional<std::vector<type_run>> runs_of(const datatype& type, std::size_t most) {
  std::vector<type_run> runs;
  for (signature_cursor cursor(type, 1); !cursor.at_end(); cursor.advance(cursor.run())) {
    const std::uint16_t number = cursor.basic()->number;
    if (!runs.empty() && runs.back().number == number) {
      runs.back().elements += cursor.run();
      continue;
    }
    if (runs.size() == most) return std::nullopt;
    runs.push_back({number, cursor.run()});
  }
  return runs;
}

datatype_ref type_with_runs(std::span<const type_run> runs) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 40;  // no message has more
  std::vector<std::int64_t> lengths, displacements;
  std::vector<const datatype*> types;
  std::int64_t end = 0;
  for (const type_run& run : runs) {
    const basic_type* const basic = find_basic_type(run.number);
    if (!basic || run.elements < 0 || run.elements > most_elements) return {};
    lengths.push_back(run.elements);
    displacements.push_back(end);
    types.push_back(predefined_type(run.number));
    end = sum(end, product(run.elements, basic->size));
  }
  return make_struct(lengths, displacements, types);
}

std::optional<std::int64_t> elements_in(const datatype& type, std::int64_t bytes) {
  if (bytes == 0) return 0;
  if (type.size() == 0) return std::nullopt;
  std::int64_t elements = bytes / type.size() * type.elements();
  std::int64_t rest = bytes % type.size();
  if (rest == 0) return elements;
  for (signature_cursor cursor(type, 1); rest > 0 && !cursor.at_end(); cursor.advance(cursor.run())) {
    const std::int64_t size = cursor.basic()->size;
    const std::int64_t whole = std::min(cursor.run(), rest / size);
    elements += whole;
    rest -= whole * size;
    if (whole < cursor.run() && rest > 0) return std::nullopt;
  }
  return elements;
}

std::int64_t bytes_of_elements(const datatype& type, std::int64_t elements) {
  if (elements == 0) return 0;
  if (type.elements() == 0) throw call_error(error_class::argument, "the datatype has no elements");
  std::int64_t bytes = product(elements / type.elements(), type.size());
  std::int64_t rest = elements % type.elements();
  for (signature_cursor cursor(type, 1); rest > 0; cursor.advance(cursor.run())) {
    const std::int64_t taken = std::min(cursor.run(), rest);
    bytes = sum(bytes, taken * cursor.basic()->size);
    rest -= taken;
  }
  return bytes;
}

}  // namespace stretto::ranks
