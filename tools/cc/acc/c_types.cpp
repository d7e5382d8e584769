#include "cc/acc/c_types.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "cc/is_in.hpp"

namespace stretto::cc::acc {
namespace {

struct number_row {
  std::string_view name;
  type_form is;
  std::size_t bytes;
  bool is_signed;
  int rank;  // of conversions: that of greater rank is the common type
};

// Sizes are those of the 64-bit systems that Stretto runs on.
constexpr std::array numbers{
    number_row{"_Bool", type_form::boolean, 1, false, 1},
    number_row{"bool", type_form::boolean, 1, false, 1},
    number_row{"char", type_form::integer, 1, true, 2},
    number_row{"signed char", type_form::integer, 1, true, 2},
    number_row{"unsigned char", type_form::integer, 1, false, 2},
    number_row{"short", type_form::integer, 2, true, 3},
    number_row{"unsigned short", type_form::integer, 2, false, 3},
    number_row{"int", type_form::integer, 4, true, 4},
    number_row{"unsigned int", type_form::integer, 4, false, 5},
    number_row{"long", type_form::integer, 8, true, 6},
    number_row{"unsigned long", type_form::integer, 8, false, 7},
    number_row{"long long", type_form::integer, 8, true, 8},
    number_row{"unsigned long long", type_form::integer, 8, false, 9},
    number_row{"float", type_form::floating, 4, true, 10},
    number_row{"double", type_form::floating, 8, true, 11},
    number_row{"long double", type_form::floating, 16, true, 12},
    number_row{"void", type_form::void_, 0, false, 0},
};
constexpr int rank_of_int = 4;

constexpr std::array keywords{"void",     "_Bool",    "bool",       "char",         "short",    "int",
                              "long",     "float",    "double",     "signed",       "unsigned", "const",
                              "volatile", "restrict", "__restrict", "__restrict__", "__const",  "register",
                              "static",   "auto",     "__signed__", "__volatile__", "constexpr"};
constexpr std::array ignored{"volatile", "restrict", "__restrict",   "__restrict__", "register",
                             "static",   "auto",     "__volatile__", "constexpr"};

int rank_of(const c_type& type) {
  const auto found = std::ranges::find(numbers, std::string_view(type.spelling), &number_row::name);
  return found == numbers.end() ? rank_of_int : found->rank;  // an enumeration is an int
}

type_ref promoted(const type_ref& type) {
  const type_ref plain = without_const(type);
  if (!plain || !plain->is_number() || plain->is == type_form::floating) return plain;
  return rank_of(*plain) < rank_of_int ? number_type("int") : plain;
}

type_ref common_type(const type_ref& left, const type_ref& right) {
  const type_ref a = promoted(left), b = promoted(right);
  if (!a || !b || !a->is_number() || !b->is_number()) return nullptr;
  return rank_of(*a) >= rank_of(*b) ? a : b;
}

bool is_pointer(const type_ref& type) { return type && type->is == type_form::pointer; }

}  // namespace

type_ref without_const(const type_ref& type) {
  if (!type || !type->is_const) return type;
  c_type copy = *type;
  copy.is_const = false;
  if (copy.spelling.starts_with("const ")) copy.spelling.erase(0, 6);
  return std::make_shared<const c_type>(std::move(copy));
}

bool is_type_keyword(std::string_view word) noexcept { return is_in(keywords, word); }

type_ref number_type(std::string_view name) {
  const auto found = std::ranges::find(numbers, name, &number_row::name);
  return std::make_shared<const c_type>(
      c_type{.is = found->is, .spelling = std::string(name), .bytes = found->bytes, .is_signed = found->is_signed});
}

type_ref type_of_keywords(std::span<const std::string> given) {
  std::map<std::string, int> count;
  bool is_const = false;
  for (const std::string& one : given) {
    if (one == "const" || one == "__const") is_const = true;
    else if (!is_in(ignored, one)) ++count[one == "__signed__" ? "signed" : one];
  }
  if (count.empty()) return nullptr;
  const std::string sign = count.contains("unsigned") ? "unsigned " : "";
  std::string name;
  if (count.contains("char")) name = count.contains("signed") ? "signed char" : sign + "char";
  else if (count.contains("short")) name = sign + "short";
  else if (count.contains("double")) name = count.contains("long") ? "long double" : "double";
  else if (count.contains("long")) name = sign + (count["long"] > 1 ? "long long" : "long");
  else if (count.contains("float")) name = "float";
  else if (count.contains("_Bool")) name = "_Bool";
  else if (count.contains("bool")) name = "bool";
  else if (count.contains("void")) name = "void";
  else name = sign + "int";
  c_type type = *number_type(name);
  type.is_const = is_const;
  return std::make_shared<const c_type>(std::move(type));
}

type_ref type_of_literal(const token& literal) {
  const std::string& s = literal.spelling;
  if (literal.is == token::what::text) return s.starts_with('"') ? pointer_to(number_type("char")) : number_type("int");
  const bool is_hexadecimal = s.starts_with("0x") || s.starts_with("0X");
  const bool is_floating =
      s.find('.') != s.npos || s.find_first_of("pP") != s.npos || (!is_hexadecimal && s.find_first_of("eE") != s.npos);
  if (is_floating) {
    const char last = s.back();
    return number_type(last == 'f' || last == 'F' ? "float" : last == 'l' || last == 'L' ? "long double" : "double");
  }
  const auto digits = s.find_last_not_of("uUlL");
  const std::string_view suffix = std::string_view(s).substr(digits + 1);
  const bool is_unsigned = suffix.find_first_of("uU") != suffix.npos;
  const auto longs = std::ranges::count_if(suffix, [](char c) { return c == 'l' || c == 'L'; });
  // Longer than any int, in decimal or hexadecimal digits.
  const bool is_large = digits + 1 > (is_hexadecimal ? 10u : 9u);
  const std::string name = longs > 1 ? "long long" : longs == 1 || is_large ? "long" : "int";
  return number_type(is_unsigned ? "unsigned " + name : name);
}

type_ref pointer_to(type_ref element) {
  if (!element) return nullptr;
  std::string spelling = element->spelling + " *";
  return std::make_shared<const c_type>(
      c_type{.is = type_form::pointer, .spelling = std::move(spelling), .bytes = 8, .element = std::move(element)});
}

type_ref decayed(const type_ref& type) {
  return type && type->is == type_form::array ? pointer_to(type->element) : type;
}

type_ref type_of_binary(std::string_view sign, const type_ref& left, const type_ref& right) {
  static constexpr std::array truths{"==", "!=", "<", ">", "<=", ">=", "&&", "||"};
  if (is_in(truths, sign)) return number_type("int");
  if (sign == ",") return right;
  if (sign == "<<" || sign == ">>") return promoted(left);
  if (sign.ends_with("=")) return without_const(left);
  const type_ref a = decayed(left), b = decayed(right);
  if (is_pointer(a) && is_pointer(b)) return number_type("long");
  if (is_pointer(a)) return a;
  if (is_pointer(b)) return b;
  return common_type(a, b);
}

type_ref type_of_conditional(const type_ref& one, const type_ref& other) {
  const type_ref a = decayed(one), b = decayed(other);
  if (!is_pointer(a) && !is_pointer(b)) return a && b && a->is_number() && b->is_number() ? common_type(a, b) : a;
  // One of them may be 0, or the null pointer.
  const bool is_other = !is_pointer(a) || (is_pointer(b) && a->element && a->element->is == type_form::void_);
  return is_other ? b : a;
}

type_ref type_of_unary(std::string_view sign, const type_ref& operand) {
  if (!operand) return nullptr;
  if (sign == "!") return number_type("int");
  if (sign == "&") return pointer_to(operand);
  if (sign == "*") return decayed(operand)->element;
  if (sign == "++" || sign == "--") return operand;
  return promoted(operand);
}

type_ref type_of_member(const c_type& record, std::string_view member) {
  if (!record.record) return nullptr;
  for (const field& one : record.record->fields) {
    if (one.name == member) return std::make_shared<const c_type>(one.type);
    // A record without a name within another: its members are those of the other.
    if (one.name.empty())
      if (type_ref found = type_of_member(one.type, member)) return found;
  }
  return nullptr;
}

}  // namespace stretto::cc::acc
