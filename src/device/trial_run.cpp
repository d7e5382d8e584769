#include "device/trial_run.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/index_text.hpp"
#include "device/array_names.hpp"
#include "device/device_texts.hpp"
#include "device/kernel_signature.hpp"
#include "device/launch_copies.hpp"
#include "device/native_code.hpp"
#include "device/shadow_memory.hpp"
#include "device/unwritten_elements.hpp"

namespace stretto::device {

namespace {

/// Whether a body, or a function that it uses, has atomics.
bool has_atomics(const kernel_code& code, std::string_view body, std::set<const device_text*>& seen) {
  return std::ranges::any_of(tokens_of(body), [&](const token& t) {
    if (t.is != token::what::name) return false;
    if (t.spelling.starts_with("atomic_")) return true;
    const device_text* const used = text_named(t.spelling, code);
    return used && used->is == device_text::what::function && seen.insert(used).second &&
           has_atomics(code, used->body, seen);
  });
}

/// The effects of a unit, and how it ended.
struct outcome {
  shadow_memory::effects did;
  std::exception_ptr failure;
  std::string why;

  bool agrees_with(const outcome& o) const { return why == o.why && (failure || shadow_memory::agree(did, o.did)); }
};

class trial {
 public:
  trial(const kernel_code& code, std::span<const kernel_argument> given, const launch_range& whole,
        group_memory& memory, const std::source_location* where)
      : code_(code),
        given_(given),
        whole_(whole),
        memory_(memory),
        where_(where),
        copies_(code, given),
        shadow_(whole.group[0] * whole.group[1] * whole.group[2]) {
    std::set<const device_text*> seen;
    const bool are_in_order = has_atomics(code, code.body_text, seen);
    arrays_.resize(given.size());
    for (const launch_copies::block& b : copies_.blocks()) elements_.emplace_back(b.slots());
    for (std::size_t n = 0; n < given.size(); ++n) watch(n, are_in_order);
  }

  void run() {
    std::int64_t id[3];
    for (id[0] = whole_.min[0]; id[0] < whole_.max[0]; ++id[0])
      for (id[1] = whole_.min[1]; id[1] < whole_.max[1]; ++id[1])
        for (id[2] = whole_.min[2]; id[2] < whole_.max[2]; ++id[2]) {
          run_unit(id);
          if (!read_without_value_ && shadow_.found()) throw race(*shadow_.found());
          if (read_without_value_ && is_read_of_group_) return end();
        }
    end();
  }

 private:
  void end() {
    if (shadow_.found_at_preferred()) throw race(*shadow_.found());
    if (read_without_value_) throw *read_without_value_;
    for (std::size_t n = 0; n < given_.size(); ++n)
      if (given_[n].is_overwritten && arrays_[n].has_no_values) mark_what_is_left(n);
  }

  /// Marks unwritten elements in the launch's own memory; the launch itself begins after that.
  void mark_what_is_left(std::size_t n) {
    const kernel_parameter& p = code_.parameters[n];
    if (!can_be_unwritten(p.element_bytes)) return;
    const launch_copies::block& b = copies_.blocks()[static_cast<std::size_t>(copies_.block_of(n))];
    unwritten_record left{.kernel = std::string(code_.name), .array = {}, .launched = {}};
    bool is_any = false;
    each_element(given_[n], p, [&](const std::int64_t* at, std::byte* element) {
      const auto offset = static_cast<std::size_t>(reinterpret_cast<std::intptr_t>(element) - b.is.first);
      if (arrays_[n].elements[offset / b.slot_bytes].writer) return true;
      mark_unwritten(element, p.element_bytes);
      for (int axis = 0; axis < 3; ++axis) {
        left.min[axis] = is_any ? std::min(left.min[axis], at[axis]) : at[axis];
        left.max[axis] = is_any ? std::max(left.max[axis], at[axis] + 1) : at[axis] + 1;
      }
      return is_any = true;
    });
    if (!is_any) return;
    left.array = name_of_array(code_, static_cast<unsigned>(n)).name;
    if (where_) left.launched = fmt::format("{}:{}", where_->file_name(), where_->line());
    remember(std::move(left));
  }
  void watch(std::size_t n, bool are_in_order) {
    kernel_argument& a = copies_.arguments()[n];
    const kernel_parameter& p = code_.parameters[n];
    a.touched = nullptr;
    const bool is_local = p.mode == access::local;
    if (!is_local && copies_.block_of(n) < 0) return;
    arrays_[n] = {.memory = &shadow_,
                  .number = static_cast<unsigned>(n),
                  .kind = p.kind,
                  .element_bytes = p.element_bytes,
                  .component_bytes = p.component_bytes};
    a.shadow = &arrays_[n];
    if (is_local) return;  // each group declares it
    const auto number = static_cast<std::size_t>(copies_.block_of(n));
    const launch_copies::block& b = copies_.blocks()[number];
    arrays_[n].first = b.first;
    arrays_[n].slot_bytes = b.slot_bytes;
    arrays_[n].elements = elements_[number];
    arrays_[n].has_no_values = p.mode == access::out && b.is_only_out;
    arrays_[n].may_lack_values = b.has_unwritten;
    arrays_[n].may_conflict = p.mode != access::reduce && !are_in_order;
  }

  /// Runs the unit with other patterns in the first `altered` elements without values.
  outcome run_with(const std::int64_t* id, std::size_t altered) {
    outcome o;
    const std::int64_t end[3] = {id[0] + 1, id[1] + 1, id[2] + 1};
    shadow_.begin_unit(altered);
    try {
      run_part(code_, copies_.arguments(), whole_, id, end, index_checks::on, memory_, &shadow_);
    } catch (const error& e) {
      o.failure = std::current_exception();
      o.why = e.what();
    }
    shadow_.end_unit();
    o.did = shadow_.all_effects();
    return o;
  }
  outcome run_again(const std::int64_t* id, std::size_t altered) {
    shadow_.roll_back();
    return run_with(id, altered);
  }

  void run_unit(const std::int64_t* id) {
    const bool had_conflict = shadow_.found().has_value();
    const outcome altered = run_with(id, std::numeric_limits<std::size_t>::max());
    if (shadow_.without_values() == 0) return end_unit(altered);
    const std::size_t elements = shadow_.without_values();
    const shadow_memory::writers written = shadow_.written();
    outcome usual = run_again(id, 0);
    if (usual.agrees_with(altered)) {
      shadow_.add(written);
    } else if (!read_without_value_) {
      if (!had_conflict) shadow_.forget_conflicts();  // a kernel that depends on undefined values may access anything
      find_read(id, usual, elements);
      usual = run_again(id, 0);
    }
    end_unit(usual);
  }

  void end_unit(const outcome& o) {
    shadow_.commit();
    if (!o.failure) return;
    if (read_without_value_ && !shadow_.found_at_preferred()) throw *read_without_value_;
    std::rethrow_exception(o.failure);
  }

  /// Alters as few of the first elements without values as change the outcome. The last altered one is the one that
  /// was read.
  void find_read(const std::int64_t* id, const outcome& usual, std::size_t elements) {
    if (!run_again(id, 0).agrees_with(usual)) return;  // the unit is not deterministic
    std::size_t same = 0, other = elements;
    while (other - same > 1) {
      const std::size_t middle = same + (other - same) / 2;
      (run_again(id, middle).agrees_with(usual) ? same : other) = middle;
    }
    run_again(id, other);
    const shadow_memory::named_element e = shadow_.without_value(other - 1);
    shadow_.forget_conflicts();
    shadow_.prefer(e.is);
    is_read_of_group_ = is_of_group(e);
    read_without_value_ = read(e);
  }

  bool is_of_group(const shadow_memory::named_element& e) const {
    return e.array & index_out_of_range::is_local_array || code_.parameters[e.array].mode == access::local;
  }
  /// `tile(3, 4)`.
  std::string text_of(const shadow_memory::named_element& e) const {
    const array_name a = name_of_array(code_, e.array);
    return a.name + base::index_text(e.index, a.dimensions);
  }
  std::string point_text(const std::int64_t* at) const { return base::index_text(at, whole_.dimensions); }

  struct named_item {
    std::string unit, item;  // "(3)"; "(15) of the group, (63) of all", or nothing
  };
  named_item name(std::uint32_t turn) const {
    const auto [number, item] = shadow_.position_of(turn);
    std::int64_t left = number, left_of_item = item, id[3], local[3], global[3];
    for (int a = 2; a >= 0; --a) {
      const std::int64_t length = whole_.max[a] - whole_.min[a];
      id[a] = whole_.min[a] + left % length;
      left /= length;
      local[a] = left_of_item % whole_.group[a];
      left_of_item /= whole_.group[a];
      global[a] = id[a] * whole_.group[a] + local[a];
    }
    return {point_text(id), code_.in_groups && item >= 0
                                ? fmt::format("{} of the group, {} of all", point_text(local), point_text(global))
                                : std::string()};
  }

  error begin(const char* number, std::string sentence) const {
    error e(number, std::move(sentence));
    e.fact("kernel", fmt::format("{}:{}", code_.file, code_.line));
    if (where_) e.fact("launched", *where_);
    return e;
  }

  error race(const shadow_memory::conflict& c) const {
    const named_item earlier = name(c.earlier), later = name(c.element.turn);
    const auto does = [](bool writes) { return writes ? "writes it" : "uses it"; };
    const std::string element = text_of(c.element);
    if (c.is_in_group) {
      error e = begin(
          "K03", fmt::format("two items of a group of kernel \"{}\" use {} in one region, and one of them writes it",
                             code_.name, element));
      e.fact("group", later.unit);
      e.fact("item", fmt::format("{}, {}", earlier.item, does(c.earlier_writes)));
      e.fact("item", fmt::format("{}, {}", later.item, does(c.later_writes)));
      return std::move(e)
          .because("the items of a region run at once, or in any order")
          .remedy("end the region between writing and reading: use two calls of each_item instead of one");
    }
    const char* const units = code_.in_groups ? "groups" : "items";
    error e = begin(
        "K04", fmt::format("two {} of kernel \"{}\" use {}, and one of them writes it", units, code_.name, element));
    const auto add = [&](const named_item& i, bool writes) {
      e.fact(code_.in_groups ? "group" : "item",
             fmt::format("{}{}{}, {}", i.unit, i.item.empty() ? "" : ": item ", i.item, does(writes)));
    };
    add(earlier, c.earlier_writes);
    add(later, c.later_writes);
    return std::move(e)
        .because(fmt::format("the {} of a launch run at once, or in any order", units))
        .remedy(
            "let only one item use an element that it writes; to add from several items, use reduce<Op> or an atomic");
  }

  /// A read of an element that an earlier launch left without a value.
  error read_of_unwritten(const shadow_memory::named_element& e) const {
    error what = begin("K07", fmt::format("kernel \"{}\" reads {}, which has no value", code_.name, text_of(e)));
    const named_item by = name(e.turn);
    what.fact(code_.in_groups ? "group" : "item", by.unit);
    if (!by.item.empty()) what.fact("item", by.item);
    if (std::string who = launch_that_left(e.index); !who.empty()) what.fact("left by", std::move(who));
    return std::move(what).because(why_unwritten).remedy(remedy_for_unwritten);
  }

  error read(const shadow_memory::named_element& e) const {
    const bool is_of_group = this->is_of_group(e);
    if (!is_of_group && !arrays_[e.array].has_no_values) return read_of_unwritten(e);
    const std::string element = text_of(e);
    const named_item by = name(e.turn);
    error what = begin(
        is_of_group ? "K05" : "K06",
        is_of_group
            ? fmt::format("a group of kernel \"{}\" reads {}, which none of its items has written", code_.name, element)
            : fmt::format("kernel \"{}\" reads {} of an out argument, which it has not written", code_.name, element));
    what.fact(code_.in_groups ? "group" : "item", by.unit);
    if (!by.item.empty()) what.fact("item", by.item);
    const std::string array = name_of_array(code_, e.array).name;
    if (is_of_group)
      return std::move(what)
          .because("memory of a group has no value before the group writes it")
          .remedy(fmt::format("write {} in a region before the one that reads it; values of per_item begin with zero",
                              array));
    return std::move(what)
        .because("an out argument passes no values to the kernel")
        .remedy(fmt::format("declare it as inout, if {} has values before the launch", array));
  }

  const kernel_code& code_;
  const std::span<const kernel_argument> given_;
  const launch_range& whole_;
  group_memory& memory_;
  const std::source_location* const where_;
  launch_copies copies_;
  shadow_memory shadow_;
  std::vector<std::vector<shadow_element>> elements_;  // by block
  std::vector<shadow_array> arrays_;                   // by parameter
  std::optional<error> read_without_value_;
  bool is_read_of_group_ = false;
};

}  // namespace

bool has_trial_run(const kernel_code& code) {
  return !code.native && code.run_checked && std::ranges::any_of(code.parameters, [](const kernel_parameter& p) {
    return is_array(p) && p.mode != access::in;
  });
}

void run_trial(const kernel_code& code, std::span<const kernel_argument> given, const launch_range& whole,
               group_memory& memory, const std::source_location* where) {
  trial(code, given, whole, memory, where).run();
}

}  // namespace stretto::device
