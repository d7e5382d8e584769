#include "cc/acc/row_extents.hpp"

#include <fmt/format.h>

namespace stretto::cc::acc {
namespace {

/// The type of a row, which the host writes as `row`.
std::shared_ptr<const c_type> sized_row(const c_type& type, const std::string& name, const std::string& row,
                                        std::vector<row_extent>& extents) {
  if (type.is != type_form::array) return std::make_shared<const c_type>(type);
  c_type sized = type;
  if (!type.count) {
    sized.extent = fmt::format("stretto_rows{}_of_{}", extents.size(), name);
    extents.push_back({sized.extent, fmt::format("sizeof({0}) / sizeof({0}[0])", row)});
  }
  sized.element = sized_row(*type.element, name, row + "[0]", extents);
  return std::make_shared<const c_type>(std::move(sized));
}

}  // namespace

sized_type with_extents(const declaration& of) {
  sized_type result;
  c_type type = of.type;
  const bool has_rows = type.is == type_form::array || type.is == type_form::pointer;
  if (has_rows && type.element) type.element = sized_row(*type.element, of.name, of.path + "[0]", result.extents);
  result.type = std::make_shared<const c_type>(std::move(type));
  return result;
}

bool has_unknown_size(const c_type& type) {
  return type.is == type_form::array && (!type.count || has_unknown_size(*type.element));
}

}  // namespace stretto::cc::acc
