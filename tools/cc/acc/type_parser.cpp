// Types and declarators in the code of regions.
#include <array>
#include <string>
#include <vector>

#include "cc/acc/c_types.hpp"
#include "cc/acc/expression_parser.hpp"
#include "cc/is_in.hpp"

namespace stretto::cc::acc {
namespace {

constexpr std::array ignored_specifiers{"__extension__", "extern", "inline", "__inline", "__inline__"};

bool is_record_keyword(const token& t) { return t == "struct" || t == "union" || t == "enum"; }

}  // namespace

bool expression_reader::begins_type() const {
  if (at_ >= last_) return false;
  const token& t = program()[at_];
  if (t.is != token::what::name) return false;
  if (is_type_keyword(t.spelling) || is_record_keyword(t) || is_in(ignored_specifiers, t.spelling)) return true;
  const token& last = program()[end_of_qualified(at_)];
  return names_.type_at(last.offset) != nullptr && names_.at(last.offset) == nullptr;
}

type_ref expression_reader::read_type() {
  std::vector<std::string> keywords;
  type_ref named;
  for (; begins_type(); ++at_) {
    const token& t = program()[at_];
    if (is_record_keyword(t)) ++at_;
    if (is("{")) refuse("a definition of a type");
    at_ = end_of_qualified(at_);
    if (is_type_keyword(t.spelling)) {
      keywords.push_back(t.spelling);
    } else if (const c_type* const found = names_.type_at(program()[at_].offset)) {
      named = std::make_shared<const c_type>(*found);
    }
  }
  type_ref result = named ? named : type_of_keywords(keywords);
  while (is("*") || is("const") || is("restrict") || is("volatile")) {
    if (is("*")) result = pointer_to(result);
    ++at_;
  }
  if (!is(")") && !is(">")) refuse("a type of this form");
  return result;
}

void expression_reader::skip_specifiers() {
  while (begins_type()) {
    if (is_record_keyword(program()[at_])) ++at_;
    if (is("{")) refuse("a definition of a type");
    at_ = end_of_qualified(at_) + 1;
    if (is("{")) refuse("a definition of a type");
  }
}

const declaration* expression_reader::read_declarator() {
  for (; at_ < last_; ++at_) {
    const token& t = program()[at_];
    const declaration* const found = t.is == token::what::name ? names_.at(t.offset) : nullptr;
    if (found && found->offset == t.offset) {
      ++at_;
      return found;
    }
    if (is_cxx() && t == "&") refuse_cxx("a reference", "use a pointer, or the variable that it stands for");
    if (is_cxx() && t == "[") refuse_cxx("a structured binding", "declare the variables one by one");
    if (t.is == token::what::sign && !(t == "*") && !(t == "(")) refuse(t.spelling);
  }
  refuse("the end of the statement");
}

void expression_reader::skip_declarator_end() {
  while (is(")") || is("[")) {
    while (is("[")) {
      ++at_;
      if (!is("]")) read_expression();
      require("]");
    }
    skip_if(")");
  }
}

}  // namespace stretto::cc::acc
