#include "cc/acc/device_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cc/acc/row_extents.hpp"

namespace stretto::cc::acc {
namespace {

/// "point" of "struct point"; empty for a record without a name.
std::string tag_of(const record_type& record) {
  const auto space = record.name.rfind(' ');
  std::string tag = space == std::string::npos ? record.name : record.name.substr(space + 1);
  const auto is_allowed = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return std::ranges::all_of(tag, is_allowed) ? tag : "";
}

std::string_view keyword_of(const record_type& record) { return record.is_union ? "union" : "struct"; }

bool has_no_name(const field& one) { return one.name.empty() && one.type.is == type_form::record; }

}  // namespace

const c_type& innermost_element(const c_type& type) {
  return type.is == type_form::array ? innermost_element(*type.element) : type;
}

std::string device_types::declaration(const c_type& type, const std::string& name, pointer_space space) {
  return declarator(type, name, "", space);
}

std::string device_types::number(const c_type& type) {
  uses_double_ |= type.is == type_form::floating && type.bytes == 8;
  return dialect_.number(type);
}

/// A declaration of an object with an address space of its own.
std::string device_types::declarator(const c_type& type, const std::string& name, const std::string& qualifier,
                                     pointer_space space) {
  if (type.is == type_form::pointer && type.element) {
    // Rows of a size that is no constant are addressed by their elements.
    const c_type& row = *type.element;
    const c_type& element = has_unknown_size(row) ? innermost_element(row) : row;
    if (element.is == type_form::function) throw inexpressible_code{"it uses a pointer to a function"};
    const std::string pointer = "*" + qualifier + name;
    return declarator(element, element.is == type_form::array ? fmt::format("({})", pointer) : pointer,
                      dialect_.qualifier(space), pointer_space::global);
  }
  if (type.is == type_form::array && type.element) {
    if (!type.count) throw inexpressible_code{fmt::format("the array \"{}\" has no constant size", name)};
    return declarator(*type.element, fmt::format("{}[{}]", name, *type.count), qualifier, pointer_space::global);
  }
  return fmt::format("{}{}{}{}", qualifier, base_text(type), name.empty() ? "" : " ", name);
}

std::string device_types::base_text(const c_type& type) {
  if (type.is == type_form::void_) return "void";
  if (type.is == type_form::record && type.record)
    return fmt::format("{} {}", keyword_of(*type.record), record_name(*type.record));
  return number(type);
}

const std::string& device_types::record_name(const record_type& record) {
  const auto found = names_.find(&record);
  if (found != names_.end()) return found->second;
  std::string name = tag_of(record);
  name = name.empty() ? "stretto_record" : dialect_.identifier(name);
  const std::string first = name;
  for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", first, i);
  named_.push_back(&record);
  return names_[&record] = name;
}

void device_types::require_whole(const c_type& record) {
  if (!record.record || !whole_.insert(record.record).second) return;
  check_layout(record);
  std::string text = fmt::format("{} {} {{\n", keyword_of(*record.record), record_name(*record.record));
  text += members_text(record, 1) + "};\n";
  texts_.push_back(std::move(text));
}

std::string device_types::members_text(const c_type& record, unsigned depth) {
  std::string text;
  for (const field& one : record.record->fields) text += member_text(one, depth);
  return text;
}

std::string device_types::member_text(const field& one, unsigned depth) {
  const std::string indent(2 * std::size_t{depth}, ' ');
  if (has_no_name(one))
    return fmt::format("{0}{1} {{\n{2}{0}}};\n", indent, keyword_of(*one.type.record),
                       members_text(one.type, depth + 1));
  const c_type& base = innermost_element(one.type);
  if (base.is == type_form::record) require_whole(base);
  const std::string name = dialect_.identifier(one.name);
  // A pointer to a function is carried along, and refused where it is used.
  if (base.is == type_form::pointer && base.element->is == type_form::function && &base == &one.type)
    return fmt::format("{}{}void *{};\n", indent, dialect_.qualifier(pointer_space::global), name);
  return fmt::format("{}{};\n", indent, declaration(one.type, name));
}

void device_types::check_layout(const c_type& record) {
  std::size_t end = 0;
  for (const field& one : record.record->fields) {
    const std::size_t alignment = alignment_of(one.type);
    const std::size_t offset = record.record->is_union ? 0 : (end + alignment - 1) / alignment * alignment;
    if (one.is_bit_field)
      throw inexpressible_code{fmt::format("\"{}\" of \"{}\" is a bit-field", one.name, record.spelling)};
    if (has_no_name(one)) check_layout(one.type);
    if (offset != one.offset && !has_no_name(one))
      throw inexpressible_code{
          fmt::format("the members of \"{}\" do not lie at their natural offsets", record.spelling)};
    end = std::max(end, offset + one.type.bytes);
  }
  const std::size_t alignment = alignment_of(record);
  if ((end + alignment - 1) / alignment * alignment != record.bytes || record.bytes == 0)
    throw inexpressible_code{fmt::format("\"{}\" does not have its natural size", record.spelling)};
}

std::size_t device_types::alignment_of(const c_type& type) {
  if (type.is == type_form::array && type.element) return alignment_of(*type.element);
  if (type.is != type_form::record) return std::max<std::size_t>(type.bytes, 1);
  std::size_t alignment = 1;
  if (type.record)
    for (const field& one : type.record->fields) alignment = std::max(alignment, alignment_of(one.type));
  return alignment;
}

std::string device_types::record_texts() const {
  std::string text;
  for (const record_type* const one : named_) text += fmt::format("{} {};\n", keyword_of(*one), names_.at(one));
  for (const std::string& one : texts_) text += one;
  return text;
}

}  // namespace stretto::cc::acc
