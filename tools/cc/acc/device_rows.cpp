// Elements of arrays whose rows have sizes that are no constants: devices have no type for such rows, so that an
// element is addressed by its number.
#include <fmt/format.h>

#include "cc/acc/c_types.hpp"
#include "cc/acc/device_printer.hpp"
#include "cc/acc/operator_precedence.hpp"

namespace stretto::cc::acc {
namespace {

constexpr int precedence_of_sum = 12, precedence_of_product = 13;

std::string product(const std::vector<std::string>& rows) {
  std::string text;
  for (const std::string& one : rows) text += (text.empty() ? "" : " * ") + one;
  return text;
}

std::string sum(const std::string& offset, const std::string& more) {
  return offset.empty() ? more : more.empty() ? offset : offset + " + " + more;
}

}  // namespace

/// The address that an index, or none for 0, of a pointer leads to.
std::optional<row_address> device_printer::rows_behind(const expression& pointer, const expression* index) const {
  auto rows = rows_of(pointer);
  if (!rows || rows->rows.empty()) return std::nullopt;
  if (index)
    rows->offset =
        sum(rows->offset, fmt::format("{} * {}", operand(*index, precedence_of_product), product(rows->rows)));
  return rows;
}

std::optional<row_address> device_printer::rows_of(const expression& e) const {
  switch (e.is) {
    case expression_form::name: {
      const auto found = rows_.find(e.of);
      if (found == rows_.end()) return std::nullopt;
      return row_address{name_text(e), "", found->second};
    }
    case expression_form::element:
    case expression_form::unary: {
      if (e.is == expression_form::unary && e.spelling == "&" && is_pointer_type(e.type)) {
        const expression& of = e.parts[0];
        if (of.is == expression_form::element) return rows_behind(of.parts[0], &of.parts[1]);
        return std::nullopt;
      }
      if (e.is == expression_form::unary && e.spelling != "*") return std::nullopt;
      auto rows = rows_behind(e.parts[0], e.is == expression_form::element ? &e.parts[1] : nullptr);
      if (rows) rows->rows.erase(rows->rows.begin());
      return rows;
    }
    case expression_form::binary:
      if (e.spelling == "+" && is_pointer_type(decayed(e.parts[0].type))) return rows_behind(e.parts[0], &e.parts[1]);
      return std::nullopt;
    default: return std::nullopt;
  }
}

/// The address of an element, as a pointer to it.
std::optional<std::string> device_printer::row_text(const expression& e) const {
  const bool is_step = e.spelling == "++" || e.spelling == "--" || e.spelling == "+=" || e.spelling == "-=" ||
                       (e.is == expression_form::binary && e.spelling == "-");
  const bool is_call = e.is == expression_form::call || e.is == expression_form::size_of;
  if (is_step && !is_call && !e.parts.empty())
    if (const auto rows = rows_of(e.parts[0]); rows && !rows->rows.empty())
      throw inexpressible_code{fmt::format("\"{}\" steps over rows whose size is no constant", rows->base)};
  if (e.is == expression_form::name) return std::nullopt;
  const auto rows = rows_of(e);
  if (!rows) return std::nullopt;
  return rows->offset.empty() ? rows->base : fmt::format("({} + {})", rows->base, rows->offset);
}

/// An element itself: of a row, or of an array or pointer of the ordinary form.
std::optional<std::string> device_printer::element_text(const expression& e) const {
  if (const own_part* const part = spaces_.shifted_part(e.parts[0]))
    return own_element(*part, identifier(*e.parts[0].of), print(e.parts[1]));
  if (e.parts[0].is == expression_form::name) return std::nullopt;
  const auto rows = rows_of(e.parts[0]);
  if (!rows) return std::nullopt;
  return fmt::format("{}[{}]", rows->base, sum(rows->offset, operand(e.parts[1], precedence_of_sum)));
}

/// A number: an array of the host may be a pointer here.
std::string device_printer::size_text(const expression& e) const {
  const type_ref type = e.named ? e.named : e.parts.empty() ? nullptr : e.parts[0].type;
  if (type && type->bytes > 0) return fmt::format("{}ul", type->bytes);
  const expression* const of = e.parts.empty() ? nullptr : &e.parts[0];
  const bool is_row = of && (of->is == expression_form::element || of->is == expression_form::unary) && type;
  if (const auto rows = is_row ? rows_of(of->parts[0]) : std::nullopt; rows && !rows->rows.empty())
    return fmt::format("({} * {}ul)", product(rows->rows), innermost_element(*type).bytes);
  throw inexpressible_code{"it uses the size of an object that is not known"};
}

}  // namespace stretto::cc::acc
