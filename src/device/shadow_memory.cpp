#include "device/shadow_memory.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "device/unwritten_elements.hpp"

namespace stretto {

namespace {

constexpr std::uint32_t last_turn = std::numeric_limits<std::uint32_t>::max();

/// The size of one patterned number: an element, or a component of a short vector.
std::size_t number_bytes(const shadow_array& in) noexcept {
  return in.component_bytes ? in.component_bytes : in.element_bytes;
}

/// The two patterns of an element without a value; neighbouring elements have different ones. Integers are small,
/// because they may become loop bounds. Floating-point numbers are zero and NaN, which results cannot hide.
std::uint64_t pattern_of(const shadow_array& in, std::uint64_t slot, bool is_altered) noexcept {
  const std::uint64_t salt = slot * 7 + in.number % 1024 * 101 + (in.is_of_group ? 1 : 0);
  if (in.element_bytes == 1) return (salt & 1) != (is_altered ? 1u : 0u);  // a bool, perhaps
  if (!is_altered) return 0;
  if (in.kind == element_kind::floating || in.kind == element_kind::structure)
    return number_bytes(in) == 8 && in.kind == element_kind::floating ? 0x7ff8'0000'0000'0000u | salt % (1u << 20)
                                                                      : 0x7fc0'0000u | salt % (1u << 20);
  return 1 + salt % 30011;
}

void fill(const shadow_array& in, std::byte* element, std::uint64_t slot, bool is_altered) noexcept {
  const std::uint64_t pattern = pattern_of(in, slot, is_altered);
  const std::size_t step =
      in.kind == element_kind::structure ? sizeof(std::uint32_t) : std::min(number_bytes(in), sizeof pattern);
  for (std::size_t done = 0; done < in.element_bytes; done += step)
    std::memcpy(element + done, &pattern, std::min(step, in.element_bytes - done));
}

}  // namespace

void shadow_memory::begin_unit(std::size_t altered) {
  altered_ = altered;
  now_ = region_ = units_.back();
  is_in_region_ = false;
}

void shadow_memory::end_unit() { end_turn(); }

void shadow_memory::roll_back() {
  for (auto e = entries_.rbegin(); e != entries_.rend(); ++e) {
    std::memcpy(e->at, values_.data() + e->value, e->array->element_bytes);
    if (e->was_marked) device::mark_unwritten(e->at, e->array->element_bytes);
    *e->element = e->before;
  }
  entries_.clear();
  values_.clear();
  turn_begins_ = without_values_ = locals_used_ = 0;
}

void shadow_memory::commit() {
  for (const entry& e : entries_)
    if (e.was_marked && !e.element->writer) device::mark_unwritten(e.at, e.array->element_bytes);
  entries_.clear();
  values_.clear();
  turn_begins_ = without_values_ = locals_used_ = 0;
  if (now_ < last_turn) units_.push_back(now_ + 1);
}

void shadow_memory::begin_item() {
  next_turn();
  if (!is_in_region_) region_ = now_;
  is_in_region_ = true;
}

void shadow_memory::end_region() {
  next_turn();
  region_ = now_;
  is_in_region_ = false;
}

void shadow_memory::next_turn() {
  end_turn();
  if (now_ < last_turn) ++now_;
}

shadow_array& shadow_memory::declare(const kernels::local_declaration& what, unsigned number, std::byte* first) {
  if (locals_used_ == locals_.size()) locals_.emplace_back();
  local& l = locals_[locals_used_++];
  l.elements.assign(what.count, {});
  l.is = {.memory = this,
          .number = number,
          .kind = what.kind,
          .element_bytes = what.element_bytes,
          .component_bytes = what.component_bytes,
          .first = first,
          .slot_bytes = what.element_bytes,
          .elements = l.elements,
          .has_no_values = true,
          .is_of_group = true};
  return l.is;
}

void shadow_memory::use(shadow_array& in, std::byte* element, const std::int64_t* at, std::size_t axes) {
  const std::size_t slot = static_cast<std::size_t>(element - in.first) / in.slot_bytes;
  // beyond this number of turns, accesses are not recorded
  if (slot >= in.elements.size() || now_ == last_turn) return;
  shadow_element& e = in.elements[slot];
  if (e.last_use == now_) return;
  entry u{&in, &e, element, e, values_.size(), {0, 0, 0}, e.last_use < units_.back(), false, false};
  std::copy_n(at, axes, u.index);
  if (u.is_first_of_unit && !e.writer) {
    u.was_marked = in.may_lack_values && device::is_unwritten(element, in.element_bytes);
    u.had_no_value = in.has_no_values || u.was_marked;
  }
  if (u.had_no_value) fill(in, element, slot, without_values_++ < altered_);
  values_.insert(values_.end(), element, element + in.element_bytes);
  entries_.push_back(u);
  e.last_use = now_;
}

bool shadow_memory::has_changed(const entry& e) const {
  return std::memcmp(e.at, values_.data() + e.value, e.array->element_bytes) != 0;
}

void shadow_memory::end_turn() {
  for (; turn_begins_ < entries_.size(); ++turn_begins_)
    judge(entries_[turn_begins_], has_changed(entries_[turn_begins_]));
}

void shadow_memory::judge(const entry& e, bool writes) {
  shadow_element& s = *e.element;
  // Other groups are never ordered with this one; other items only if a region ended between the two accesses.
  const auto is_unordered = [&](std::uint32_t other) {
    return other != 0 && other != now_ && (other < units_.back() || other >= region_);
  };
  std::uint32_t earlier = 0;
  if (is_unordered(s.writer)) earlier = s.writer;
  else if (writes && is_unordered(s.first_reader)) earlier = s.first_reader;
  else if (writes && is_unordered(s.last_reader)) earlier = s.last_reader;
  if (earlier && e.array->may_conflict) {
    const conflict c{name(e), earlier, earlier == s.writer, writes, earlier >= units_.back()};
    if (!conflict_) conflict_ = c;
    if (e.element == preferred_ && !at_preferred_) at_preferred_ = c;
  }
  if (writes) {
    s.writer = now_;
  } else {
    if (!s.first_reader) s.first_reader = now_;
    s.last_reader = now_;
  }
}

shadow_memory::named_element shadow_memory::name(const entry& e) const {
  named_element n{e.array->number, {}, e.element->last_use, e.element};
  std::copy_n(e.index, 3, n.index);
  return n;
}

shadow_memory::named_element shadow_memory::without_value(std::size_t n) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const entry& e = entries_[i];
    if (!e.had_no_value || n-- != 0) continue;
    named_element named = name(e);
    const auto again = std::find_if(entries_.begin() + static_cast<std::ptrdiff_t>(i) + 1, entries_.end(),
                                    [&](const entry& o) { return o.element == e.element; });
    if (again != entries_.end()) named.turn = again->before.last_use;
    return named;
  }
  return {};
}

shadow_memory::effects shadow_memory::all_effects() const {
  effects all;
  for (const entry& e : entries_) {
    if (!e.is_first_of_unit || e.array->is_of_group) continue;
    const std::size_t size = e.array->element_bytes;
    all.of.push_back({e.at, all.bytes.size(), size});
    const std::byte* const was = values_.data() + e.value;
    all.bytes.insert(all.bytes.end(), was, was + size);
    all.bytes.insert(all.bytes.end(), e.at, e.at + size);
  }
  std::ranges::sort(all.of, {}, &effects::one::at);
  return all;
}

bool shadow_memory::agree(const effects& a, const effects& b) {
  const auto before = [](const effects& in, const effects::one& e) { return in.bytes.data() + e.value; };
  const auto is_unchanged = [&](const effects& in, const effects::one& e) {
    return std::memcmp(before(in, e), before(in, e) + e.size, e.size) == 0;
  };
  // Compare byte by byte: unwritten fields of a structure, and its padding, stay as they were.
  const auto are_alike = [&](const effects::one& x, const effects::one& y) {
    const std::byte *of_a = before(a, x), *of_b = before(b, y);
    for (std::size_t i = 0; i < x.size; ++i)
      if (of_a[x.size + i] != of_b[x.size + i] && (of_a[i] != of_a[x.size + i] || of_b[i] != of_b[x.size + i]))
        return false;
    return true;
  };
  auto x = a.of.begin();
  auto y = b.of.begin();
  while (x != a.of.end() || y != b.of.end()) {
    const bool has_x = x != a.of.end() && (y == b.of.end() || x->at <= y->at);
    const bool has_y = y != b.of.end() && (x == a.of.end() || y->at <= x->at);
    const bool is_fine = has_x && has_y ? are_alike(*x, *y) : has_x ? is_unchanged(a, *x) : is_unchanged(b, *y);
    if (!is_fine) return false;
    if (has_x) ++x;
    if (has_y) ++y;
  }
  return true;
}

shadow_memory::writers shadow_memory::written() const {
  writers all;
  for (const entry& e : entries_)
    if (!e.array->is_of_group && e.element->writer >= units_.back()) all.emplace_back(e.element, e.element->writer);
  return all;
}

void shadow_memory::add(const writers& also) {
  for (const auto& [element, turn] : also)
    if (!element->writer) element->writer = turn;
}

shadow_memory::position shadow_memory::position_of(std::uint32_t turn) const {
  const auto after = std::ranges::upper_bound(units_, turn);
  const std::int64_t unit = after - units_.begin() - 1;
  const std::int64_t within = turn - units_[static_cast<std::size_t>(unit)];
  return {unit, within % (items_of_group_ + 1) - 1};
}

void kernels::note_use(shadow_array& in, std::byte* element, const std::int64_t* at, std::size_t axes) {
  in.memory->use(in, element, at, axes);
}
void kernels::begin_item(shadow_memory& in) { in.begin_item(); }
void kernels::end_region(shadow_memory& in) { in.end_region(); }
shadow_array& kernels::declare_local(shadow_memory& in, const local_declaration& what, std::byte* first) {
  return in.declare(what, index_out_of_range::is_local_array | what.number, first);
}

}  // namespace stretto
