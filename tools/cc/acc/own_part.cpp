#include "cc/acc/own_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "cc/acc/c_types.hpp"
#include "cc/acc/constant_value.hpp"
#include "cc/acc/directive_text.hpp"
#include "cc/acc/not_translated.hpp"
#include "cc/acc/row_extents.hpp"

namespace stretto::cc::acc {
namespace {

c_type array_of(c_type element, const std::string& length) {
  c_type array{.is = type_form::array, .extent = length};
  if (is_number(length))
    array.count = std::strtoull(length.c_str(), nullptr, 10), array.bytes = *array.count * element.bytes;
  array.element = std::make_shared<const c_type>(std::move(element));
  return array;
}

class part_reader {
 public:
  part_reader(const variable& v, const source_line& where, const name_scope& scope)
      : variable_(v), where_(where), scope_(scope) {}

  own_part read(const c_type& array) const {
    const section part = variable_.sections.empty() ? section{} : variable_.sections[0];
    own_part result{first_text(part), length_text(part, array), row_of(*array.element)};
    if (result.length.empty())
      not_translated(where_,
                     fmt::format("a copy for each gang of a part of \"{}\" without a length", variable_.name()));
    return result;
  }

 private:
  /// A number if the value is constant.
  std::string value_text(const tokens& expression) const {
    const auto value = constant_value(expression, scope_);
    return value ? std::to_string(*value) : joined_text(expression);
  }

  std::string first_text(const section& part) const { return part.lower.empty() ? "0" : value_text(part.lower); }

  /// Empty if it is not known.
  std::string length_text(const section& part, const c_type& array) const {
    if (part.is_element) return "1";
    if (!part.length.empty()) return value_text(part.length);
    if (!array.count) return "";
    const auto first = part.lower.empty() ? std::optional<std::int64_t>(0) : constant_value(part.lower, scope_);
    const auto count = static_cast<std::int64_t>(*array.count);
    return first ? std::to_string(std::max<std::int64_t>(count - *first, 0))
                 : fmt::format("{} - ({})", count, joined_text(part.lower));
  }

  /// The memory that one element of the first dimension holds. Rows behind pointers are arrays of the gang, too.
  c_type row_of(c_type row) const {
    std::vector<std::string> lengths;
    for (std::size_t i = 1; i < variable_.sections.size() && has_elements(row); ++i) {
      const section& part = variable_.sections[i];
      lengths.push_back(row.count ? std::to_string(*row.count) : length_text(part, row));
      if (lengths.back().empty() || (!row.count && first_text(part) != "0"))
        not_translated(where_, fmt::format("a copy for each gang of a part of rows of \"{}\"", variable_.name()));
      row = c_type(*row.element);
    }
    if (has_unknown_size(row)) refuse_gang_copy(variable_.name(), where_);
    row = c_type(*without_const(std::make_shared<const c_type>(std::move(row))));
    for (const std::string& length : lengths | std::views::reverse) row = array_of(std::move(row), length);
    return row;
  }

  const variable& variable_;
  const source_line& where_;
  const name_scope& scope_;
};

}  // namespace

own_part part_of(const variable& v, const declaration& of, const source_line& where, const name_scope& scope) {
  return part_reader(v, where, scope).read(of.type);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string own_name(const own_part& part, const std::string& name) {
  return part.begins_at_0() ? name : "stretto_own_" + name;
}

std::string first_name(const own_part& part, const std::string& name) {
  return is_number(part.first) ? part.first : "stretto_first_" + name;
}

std::string own_element(const own_part& part, const std::string& name, const std::string& index) {
  return fmt::format("{}[({}) - {}]", own_name(part, name), index, first_name(part, name));
}

void refuse_gang_copy(const std::string& name, const source_line& where) {
  not_translated(where, fmt::format("a copy for each gang of the array \"{}\", whose size is no constant,", name));
}

}  // namespace stretto::cc::acc
