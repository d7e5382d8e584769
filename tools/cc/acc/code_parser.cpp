#include "cc/acc/code_parser.hpp"

#include <fmt/format.h>

#include <map>
#include <stretto/error.hpp>
#include <utility>

#include "cc/acc/c_types.hpp"
#include "cc/acc/expression_parser.hpp"
#include "cc/acc/jumps.hpp"
#include "cc/acc/statement.hpp"

namespace stretto::cc::acc {
namespace {

/// The innermost directive of each statement, by the statement's first token.
using directive_map = std::map<std::size_t, const placed_directive*>;

void add_directives(directive_map& all, const placed_directive& one) {
  if (governs_statement(one.what.kind)) all[one.first] = &one;
  for (const placed_directive& inner : one.inside) add_directives(all, inner);
}

class code_reader {
 public:
  code_reader(const preprocessed_text& source, const source_names& names, const placed_directive& of)
      : from_(source, names, of.first, of.last) {
    add_directives(directives_, of);
  }

  statement read() {
    const std::size_t first = from_.at();
    statement result = read_plain();
    result.offset = from_.offset_of(first);
    if (const auto found = directives_.find(first); found != directives_.end()) result.directive = found->second;
    return result;
  }

 private:
  statement read_plain() {
    if (from_.skip_if(";")) return {.is = statement_form::empty};
    if (from_.is("{")) return read_block();
    if (from_.is("if")) return read_if();
    if (from_.is("for")) return read_for();
    if (from_.is("while")) return read_conditional(statement_form::while_);
    if (from_.is("switch")) return read_conditional(statement_form::switch_);
    if (from_.is("do")) return read_do();
    if (from_.is("case")) return read_case();
    if (from_.is("default")) return read_short(statement_form::default_, ":");
    if (from_.is("break")) return read_short(statement_form::break_, ";");
    if (from_.is("continue")) return read_short(statement_form::continue_, ";");
    if (from_.is("return")) return read_return();
    if (from_.is_cxx()) check_cxx();
    if (from_.is("asm") || from_.is("__asm__")) from_.refuse(from_.spelling());
    if (from_.is("goto")) return read_goto();
    if (from_.begins_label()) return read_label();
    if (from_.begins_type()) return read_declarations();
    return read_evaluation();
  }

  void check_cxx() const {
    if (from_.is("try") || from_.is("throw")) from_.refuse_cxx(from_.spelling(), "handle errors outside of the region");
    if (from_.is("using") || from_.is("namespace") || from_.is("template") || from_.is("class"))
      from_.refuse_cxx(from_.spelling(), "put the declaration ahead of the region");
  }

  statement read_block() {
    statement result{.is = statement_form::block};
    from_.require("{");
    while (!from_.is("}")) result.parts.push_back(read());
    from_.require("}");
    return result;
  }

  expression read_condition() {
    from_.require("(");
    expression result = from_.read_expression();
    from_.require(")");
    return result;
  }

  statement read_if() {
    statement result{.is = statement_form::if_};
    from_.require("if");
    if (from_.is("constexpr")) from_.refuse_cxx("if constexpr", "write it as a plain if");
    result.values.push_back(read_condition());
    result.parts.push_back(read());
    if (from_.skip_if("else")) result.parts.push_back(read());
    return result;
  }

  statement read_for() {
    statement result{.is = statement_form::for_};
    from_.require("for");
    if (from_.is_cxx() && from_.begins_range())
      from_.refuse_cxx("a loop over a range", "count with an index: for (std::size_t i = 0; i < n; ++i)");
    from_.require("(");
    const std::size_t first = from_.at();
    result.parts.push_back(from_.is(";")         ? read_short(statement_form::empty, ";")
                           : from_.begins_type() ? read_declarations()
                                                 : read_evaluation());
    result.parts.back().offset = from_.offset_of(first);
    result.values.push_back(from_.is(";") ? expression{} : from_.read_expression());
    from_.require(";");
    result.values.push_back(from_.is(")") ? expression{} : from_.read_expression());
    from_.require(")");
    result.parts.push_back(read());
    return result;
  }

  /// while and switch.
  statement read_conditional(statement_form form) {
    statement result{.is = form};
    from_.skip();
    result.values.push_back(read_condition());
    result.parts.push_back(read());
    return result;
  }

  statement read_do() {
    statement result{.is = statement_form::do_};
    from_.require("do");
    result.parts.push_back(read());
    from_.require("while");
    result.values.push_back(read_condition());
    from_.require(";");
    return result;
  }

  statement read_case() {
    statement result{.is = statement_form::case_};
    from_.require("case");
    result.values.push_back(from_.read_constant());
    from_.require(":");
    return result;
  }

  statement read_short(statement_form form, std::string_view end) {
    if (!from_.is(end)) from_.skip();
    from_.require(end);
    return {.is = form};
  }

  statement read_goto() {
    from_.require("goto");
    if (from_.is("*")) from_.refuse("goto with a computed label");
    statement result{.is = statement_form::goto_, .values = {{.spelling = from_.spelling()}}};
    from_.skip();
    from_.require(";");
    return result;
  }

  statement read_label() {
    statement result{.is = statement_form::label_, .values = {{.spelling = from_.spelling()}}};
    from_.skip();
    from_.require(":");
    return result;
  }

  statement read_return() {
    statement result{.is = statement_form::return_};
    from_.require("return");
    result.values.push_back(from_.is(";") ? expression{} : from_.read_expression());
    from_.require(";");
    return result;
  }

  statement read_evaluation() {
    statement result{.is = statement_form::evaluate};
    result.values.push_back(from_.read_expression());
    from_.require(";");
    return result;
  }

  statement read_declarations() {
    statement result{.is = statement_form::declarations};
    const bool is_static = from_.is("static");
    from_.skip_specifiers();
    if (from_.skip_if(";")) return result;
    do result.variables.push_back(read_variable(is_static));
    while (from_.skip_if(","));
    from_.require(";");
    return result;
  }

  local_variable read_variable(bool is_static) {
    local_variable result{.of = from_.read_declarator(), .is_static = is_static};
    while (from_.skip_if("[")) {
      result.extents.push_back(from_.is("]") ? expression{} : from_.read_expression());
      from_.require("]");
    }
    from_.skip_declarator_end();
    if (from_.is_cxx()) read_cxx_initial(result);
    if (from_.skip_if("=")) result.initial = from_.read_initializer();
    if (from_.is_cxx()) check_class(*result.of);
    return result;
  }

  /// int i{0}, j(0);
  void read_cxx_initial(local_variable& of) {
    const bool is_number = of.of->type.is_number() || of.of->type.is == type_form::pointer;
    if (from_.is("{") && is_number) {
      from_.skip();
      if (!from_.is("}")) of.initial = from_.read_value();
      else of.initial = {.is = expression_form::literal, .spelling = "0", .type = number_type("int")};
      from_.require("}");
    } else if (from_.is("{")) {
      of.initial = from_.read_initializer();
    } else if (from_.skip_if("(")) {
      of.initial = from_.read_value();
      from_.require(")");
    }
  }

  void check_class(const declaration& of) const {
    if (of.type.is == type_form::other || of.type.is_class)
      from_.refuse_cxx(fmt::format("a variable of the type \"{}\"", of.type.spelling),
                       "use variables of types that C has, too");
  }

  expression_reader from_;
  directive_map directives_;
};

}  // namespace

statement read_code(const preprocessed_text& source, const source_names& names, const placed_directive& of) {
  statement result = code_reader(source, names, of).read();
  check_jumps(result, source);
  return result;
}

}  // namespace stretto::cc::acc
