#include "cc/acc/show_command.hpp"

#include <chrono>
#include <cstdio>
#include <stretto/error.hpp>

#include "base/child_process.hpp"
#include "base/error_output.hpp"
#include "cc/acc/directive_text.hpp"
#include "cc/acc/directive_tree.hpp"
#include "cc/acc/preprocessed_text.hpp"

namespace stretto::cc::acc {
namespace {

constexpr std::size_t longest_source = std::size_t{1} << 30;

preprocessed_text preprocess(std::vector<std::string> command, const std::string& source) {
  command.push_back(source);
  const base::child_end end =
      base::run_child({.arguments = std::move(command), .limit = std::chrono::hours(1), .most_output = longest_source});
  std::fputs(end.errors.c_str(), stderr);
  if (!end.has_succeeded())
    throw error("W60", "\"" + source + "\" cannot be preprocessed")
        .because("the compiler " + end.to_text())
        .remedy("name another one: STRETTO_CC=gcc, STRETTO_CXX=g++");
  return preprocessed_text(end.output);
}

}  // namespace

int show_directives(const std::vector<std::string>& preprocessor, const std::vector<std::string>& sources) {
  bool has_errors = false;
  for (const std::string& one : sources) {
    const preprocessed_text source = preprocess(preprocessor, one);
    const directive_tree tree = read_directives(source);
    std::fputs(text_of(tree, source).c_str(), stdout);
    std::fflush(stdout);
    for (const error& e : tree.refused) base::print_error(e, base::error_form_of(base::stretto_environment(), {}));
    has_errors = has_errors || !tree.refused.empty();
  }
  return has_errors ? 1 : 0;
}

}  // namespace stretto::cc::acc
