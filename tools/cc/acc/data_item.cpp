#include "cc/acc/data_item.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stretto/error.hpp>
#include <utility>

#include "cc/acc/c_types.hpp"
#include "cc/acc/directive_text.hpp"
#include "cc/acc/not_translated.hpp"

namespace stretto::cc::acc {
namespace {

/// The action of a clause; none for clauses that are not about data.
std::optional<int> action_of(const clause& c) {
  const int zero = c.is_zeroed ? data_action::zero : 0;
  switch (c.kind) {
    case clause_kind::copy: return data_action::copy;
    case clause_kind::copyin: return data_action::copyin;
    case clause_kind::copyout: return data_action::copyout | zero;
    case clause_kind::create:
    case clause_kind::device_resident: return data_action::create | zero;
    case clause_kind::no_create: return data_action::no_create;
    case clause_kind::present: return data_action::present;
    case clause_kind::attach: return data_action::attach;
    case clause_kind::detach: return data_action::detach;
    case clause_kind::delete_: return data_action::delete_;
    case clause_kind::update_host: return data_action::update_host;
    case clause_kind::update_device: return data_action::update_device;
    default: return std::nullopt;
  }
}

/// The one action that does the work of two actions of regions.
int merged(int one, int other) {
  const int zero = (one | other) & data_action::zero;
  one &= ~zero, other &= ~zero;
  if (one > data_action::create || other > data_action::create) return std::min(one, other) | zero;
  const auto has = [&](int way) {
    return one == data_action::copy || other == data_action::copy || one == way || other == way;
  };
  if (has(data_action::copyin)) return has(data_action::copyout) ? data_action::copy : data_action::copyin;
  return (has(data_action::copyout) ? data_action::copyout : data_action::create) | zero;
}

bool name_same_part(const data_item& one, const data_item& other) {
  const auto is_same_extent = [](const item_extent& a, const item_extent& b) {
    return a.first == b.first && a.count == b.count && a.bytes == b.bytes;
  };
  return one.path == other.path && std::ranges::equal(one.extents, other.extents, is_same_extent);
}

/// Adds an item of a region, to one that is there if both name the same part.
void add_merged(std::vector<data_item>& all, data_item item) {
  const auto moves = [](const data_item& one) { return (one.action & 15) <= data_action::present; };
  for (data_item& one : all)
    if (moves(one) && moves(item) && name_same_part(one, item)) {
      one.action = merged(one.action, item.action);
      return;
    }
  all.push_back(std::move(item));
}

/// The type of a member that a path leads to, from the type of its variable.
c_type type_of_path(const variable& v, const c_type& type, const source_line& where) {
  c_type at = type;
  for (std::size_t i = 1; i + 1 < v.path.size(); i += 2) {
    const bool is_arrow = v.path[i] == "->";
    const c_type* record = is_arrow ? at.element.get() : &at;
    const field* found = nullptr;
    if (record && record->record)
      for (const field& one : record->record->fields)
        if (one.name == v.path[i + 1].spelling) found = &one;
    if (!found) not_translated(where, fmt::format("the member \"{}\" in a clause", joined_text(v.path)));
    at = c_type(found->type);
  }
  return at;
}

std::string whole_count(const c_type& type, const std::string& array, const std::string& first) {
  if (type.is != type_form::array) return "";
  return fmt::format("sizeof({0}) / sizeof(({0})[0]) - ({1})", array, first);
}

[[noreturn]] void refuse_record(const std::string& path, const source_line& where) {
  throw error("O10", fmt::format("a part of \"{}\" is not translated yet", path))
      .fact("at", fmt::format("{}:{}", where.file, where.line))
      .because("it is a structure or a class, and no array")
      .remedy("take a pointer to its elements ahead of the directive, and name a part of that");
}

void add_extents(data_item& item, const variable& v, const c_type& type, const source_line& where) {
  const c_type* at = &type;
  std::string element = item.path;
  for (const section& part : v.sections) {
    if (at && at->is == type_form::record && item.extents.empty()) refuse_record(item.path, where);
    if (!at || !has_elements(*at))
      not_translated(where, fmt::format("a part of \"{}\", which has fewer dimensions,", item.path));
    if (!item.extents.empty() && at->is == type_form::pointer) {
      if (item.pointer_level > 0) not_translated(where, fmt::format("\"{}\", pointers to pointers,", item.path));
      item.pointer_level = static_cast<int>(item.extents.size());
    }
    std::string first = part.lower.empty() ? "0" : joined_text(part.lower);
    std::string count = part.is_element       ? "1"
                        : part.length.empty() ? whole_count(*at, element, first)
                                              : joined_text(part.length);
    if (count.empty())
      not_translated(where, fmt::format("a part of \"{}\" without a length behind a pointer", item.path));
    element = fmt::format("({})[0]", element);
    item.extents.push_back({std::move(first), std::move(count), fmt::format("sizeof({})", element)});
    at = at->element.get();
  }
}

}  // namespace

bool is_same(const declaration* one, const declaration* other) noexcept {
  if (one == other || !one || !other) return one == other;
  const auto is_global = [](const declaration* of) { return of->is == declaration::place::global; };
  // In another instantiation of a template it is another declaration at the same place.
  return one->name == other->name && (one->offset == other->offset || (is_global(one) && is_global(other)));
}

bool is_data_clause(clause_kind kind) {
  switch (kind) {
    case clause_kind::copy:
    case clause_kind::copyin:
    case clause_kind::copyout:
    case clause_kind::create:
    case clause_kind::no_create:
    case clause_kind::present: return true;
    default: return false;
  }
}

data_item item_of(const variable& v, int action, const source_line& where, const name_scope& scope) {
  const declaration* const of = scope.names.visible(v.name(), scope.offset, scope.source);
  if (!of)
    throw error("O15", fmt::format("a clause names \"{}\", which is not declared", v.name()))
        .fact("at", fmt::format("{}:{}", where.file, where.line))
        .because("no variable of that name is visible there")
        .remedy("declare it ahead of the directive, or mend the name");
  const c_type type = type_of_path(v, of->type, where);
  data_item item{.action = action, .path = joined_text(v.path), .base = "", .of = of};
  item.is_behind_pointer = type.is == type_form::pointer;
  item.base = fmt::format("(void *){}({})", has_elements(type) ? "" : "&", item.path);
  if (!v.sections.empty()) add_extents(item, v, type, where);
  else if (!item.is_behind_pointer) item.extents.push_back({"0", "1", fmt::format("sizeof({})", item.path)});
  return item;
}

data_item item_of(const declaration& of, int action) {
  const bool is_array = of.type.is == type_form::array;
  return {.action = action,
          .path = of.path,
          .base = fmt::format("(void *){}({})", is_array ? "" : "&", of.path),
          .extents = {{"0", "1", fmt::format("sizeof({})", of.path)}},
          .of = &of};
}

std::vector<data_item> items_of(const directive& d, const name_scope& scope) {
  std::vector<data_item> all;
  const int flags = (d.find(clause_kind::finalize) ? data_action::finalize : 0) |
                    (d.find(clause_kind::if_present) ? data_action::if_present : 0);
  for (const clause& c : d.clauses)
    if (const std::optional<int> action = action_of(c))
      for (const variable& v : c.variables) add_merged(all, item_of(v, *action | flags, d.where, scope));
  return all;
}

/// An array of struct stretto_acc_extent; C++ does not convert numbers in lists.
static std::string extents_text(const data_item& item, const std::string& name) {
  if (item.extents.empty()) return "";
  std::string all;
  for (const item_extent& one : item.extents)
    all += fmt::format("{}{{(unsigned long)({}), (unsigned long)({}), {}}}", all.empty() ? "" : ", ", one.first,
                       one.count, one.bytes);
  return fmt::format("const struct stretto_acc_extent {}[] = {{{}}}; ", name, all);
}

/// An element of an array of struct stretto_acc_data. There is no pointer at an address to `this`.
static std::string element_text(const data_item& item, const std::string& extents) {
  const bool has_address = item.is_behind_pointer && item.path != "this";
  return fmt::format("{{{}, {}, {}, {}, {}, {}, \"{}\"}}", item.action, item.extents.size(), item.pointer_level,
                     item.base, item.extents.empty() ? "0" : extents,
                     has_address ? fmt::format("(void **)&({})", item.path) : "(void **)0", item.path);
}

std::string declaration_of(const std::vector<data_item>& items, const std::string& name) {
  if (items.empty()) return fmt::format("const struct stretto_acc_data *const {} = 0;", name);
  std::string extents, all;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string own = fmt::format("{}_extents_{}", name, i);
    extents += extents_text(items[i], own);
    all += (all.empty() ? "" : ", ") + element_text(items[i], own);
  }
  return fmt::format("{}const struct stretto_acc_data {}[] = {{{}}};", extents, name, all);
}

}  // namespace stretto::cc::acc
