// Expressions that C++ has and C does not, and what of them no device runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stretto/error.hpp>
#include <string_view>
#include <utility>

#include "cc/acc/c_types.hpp"
#include "cc/acc/expression_parser.hpp"
#include "cc/is_in.hpp"

namespace stretto::cc::acc {
namespace {

constexpr std::array named_casts{"static_cast", "reinterpret_cast", "const_cast"};
constexpr std::array refused_keywords{"new",      "delete", "throw",    "dynamic_cast", "typeid",
                                      "co_await", "try",    "decltype", "alignof",      "noexcept"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> named_operators{
    {{"and", "&&"}, {"or", "||"}, {"not", "!"}, {"bitand", "&"}, {"bitor", "|"}, {"xor", "^"}}};

}  // namespace

bool expression_reader::begins_range() const {
  for (std::size_t i = at_, depth = 0; i < last_; ++i) {
    if (program()[i] == "(") ++depth;
    if (program()[i] == ";" || (program()[i] == ")" && --depth == 0)) return false;
    if (program()[i] == ":" && depth == 1) return true;
  }
  return false;
}

std::string expression_reader::sign_at(std::size_t at) const {
  const std::string& spelling = program()[at].spelling;
  if (is_cxx())
    for (const auto& [name, sign] : named_operators)
      if (spelling == name) return std::string(sign);
  return spelling;
}

void expression_reader::refuse_cxx(const std::string& what, const std::string& remedy) const {
  const auto& all = program();
  const source_line where = source_.line_at(all[std::min(at_, all.size() - 1)].offset);
  throw error("O09", "a region on a device has code that cannot be translated")
      .fact("at", fmt::format("{}:{}", where.file, where.line))
      .fact("found", what)
      .because("regions are written in the C subset of C++")
      .remedy(remedy);
}

std::size_t expression_reader::end_of_qualified(std::size_t at) const {
  if (at < last_ && program()[at] == "::") ++at;
  const auto is_name = [&](std::size_t i) { return i < last_ && program()[i].is == token::what::name; };
  while (is_name(at) && at + 1 < last_ && program()[at + 1] == "::" && is_name(at + 2)) at += 2;
  return at;
}

std::optional<expression> expression_reader::read_cxx_primary() {
  if (is_in(named_casts, spelling())) return read_named_cast();
  if (is("this")) return read_this();
  if (is("nullptr") || is("true") || is("false")) {
    expression result = begun(expression_form::literal);
    result.type = is("nullptr") ? pointer_to(number_type("void")) : number_type("bool");
    result.spelling = is("true") ? "1" : "0";
    skip();
    return result;
  }
  if (is("[")) refuse_cxx("a lambda", "write its body in the region");
  if (is_in(refused_keywords, spelling())) refuse_cxx(spelling(), "move this code out of the region");
  if (begins_type()) return read_functional_cast();
  if (is("::")) return read_name();
  return std::nullopt;
}

/// static_cast<double>(x)
expression expression_reader::read_named_cast() {
  expression result = begun(expression_form::cast);
  skip();
  require("<");
  result.type = read_type();
  require(">");
  require("(");
  result.parts.push_back(read_expression());
  require(")");
  return result;
}

/// double(x), double{x} and double{}
expression expression_reader::read_functional_cast() {
  expression result = begun(expression_form::cast);
  std::vector<std::string> keywords;
  const std::size_t last = end_of_qualified(at_);
  if (const c_type* const found = names_.type_at(program()[last].offset)) {
    result.type = std::make_shared<const c_type>(*found);
  } else {
    keywords.push_back(spelling());
    result.type = type_of_keywords(keywords);
  }
  at_ = last + 1;
  const bool is_list = is("{");
  if (!is_list && !is("(")) refuse_cxx("a type of this form", "use variables of types that C has, too");
  if (result.type && !result.type->is_number() && result.type->is != type_form::pointer) {
    if (result.type->is != type_form::record || !is_list)
      refuse_cxx(fmt::format("a constructor of \"{}\"", result.type->spelling), "set the members one by one");
    result.parts.push_back(read_list());
    return result;
  }
  skip();
  if (is(is_list ? "}" : ")")) {
    expression zero = begun(expression_form::literal);
    zero.spelling = "0";
    zero.type = number_type("int");
    result.parts.push_back(std::move(zero));
  } else {
    result.parts.push_back(read_expression());
  }
  require(is_list ? "}" : ")");
  return result;
}

/// this->member stands for the member, as the name alone does.
expression expression_reader::read_this() {
  skip();
  const bool is_member = is("->") && at_ + 1 < last_ && names_.at(program()[at_ + 1].offset);
  if (!is_member) refuse_cxx("this", "use the members of the object in the region");
  skip();
  return read_name();
}

void expression_reader::check_name(const expression& name) const {
  if (name.of->is == declaration::place::member_function)
    refuse_cxx(fmt::format("a call of the member function \"{}\"", name.of->name),
               "keep its result in a variable ahead of the region, or make it a static function");
  if (name.of->type.is == type_form::other)
    refuse_cxx(fmt::format("\"{}\" of the type \"{}\"", name.of->name, name.of->type.spelling),
               "use variables of types that C has, too");
}

/// Operators of classes are calls of functions.
void expression_reader::check_operand(const expression& operand, const std::string& sign) const {
  if (!is_cxx() || !operand.type || operand.type->is != type_form::record) return;
  const bool is_element = sign == "[]";
  refuse_cxx(
      fmt::format("the operator {} of the class \"{}\"", sign, operand.type->spelling),
      is_element && operand.is == expression_form::name
          ? fmt::format("take a pointer to the elements ahead of the region: auto *p = {}.data();", operand.spelling)
          : "use the members of the objects in the region");
}

/// std::max<double>(a, b)
void expression_reader::skip_template_arguments(expression& name) {
  int depth = 0;
  do {
    if (is("<")) ++depth;
    if (is(">")) --depth;
    name.spelling += spelling();
    skip();
  } while (depth > 0 && at_ < last_);
}

}  // namespace stretto::cc::acc
