#include "cc/acc/source_preprocessor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stretto/error.hpp>

#include "base/child_process.hpp"
#include "base/error_output.hpp"
#include "cc/acc/directive_text.hpp"
#include "cc/acc/directive_tree.hpp"
#include "cc/acc/translation.hpp"

namespace stretto::cc::acc {
namespace {

constexpr std::size_t longest_source = std::size_t{1} << 30;

/// "-std=c++20": libclang must know it, since headers depend on it.
std::string standard_of(const std::vector<std::string>& command) {
  std::string found;
  for (const std::string& one : command)
    if (one.starts_with("-std=")) found = one;
  return found;
}

/// Whether there were errors.
bool print(const std::vector<error>& errors) {
  for (const error& e : errors) base::print_error(e, base::error_form_of(base::stretto_environment(), {}));
  return !errors.empty();
}

/// With the option by which gcc replaces macros in directives, as OpenACC says. The version that it sets is not ours.
std::vector<std::string> with_macros_in_directives(std::vector<std::string> command) {
  const auto version = std::ranges::find_if(command, [](const auto& one) { return one.starts_with("-D_OPENACC="); });
  const std::vector<std::string> options{"-fopenacc", "-U_OPENACC"};
  command.insert(version, options.begin(), options.end());
  return command;
}

base::child_end output_of(std::vector<std::string> command) {
  return base::run_child(
      {.arguments = std::move(command), .limit = std::chrono::hours(1), .most_output = longest_source});
}

void make_folder(std::optional<base::temporary_folder>& folder) {
  try {
    folder.emplace("stretto-cc");
  } catch (const std::filesystem::filesystem_error& e) {
    throw error("W60", "no folder for translated sources can be made")
        .fact("name", e.path1().string())
        .because(e.code().message())
        .remedy("set TMPDIR to a folder that can be written");
  }
}

}  // namespace

preprocessed_text preprocess(std::vector<std::string> command, const std::string& source) {
  command.push_back(source);
  base::child_end end = output_of(with_macros_in_directives(command));
  if (!end.has_succeeded()) end = output_of(std::move(command));  // a compiler that does not know the option
  std::fputs(end.errors.c_str(), stderr);
  if (!end.has_succeeded())
    throw error("W60", "\"" + source + "\" cannot be preprocessed")
        .because("the compiler " + end.to_text())
        .remedy("name another one: STRETTO_CC=gcc, STRETTO_CXX=g++");
  return preprocessed_text(end.output);
}

int show_directives(const std::vector<std::string>& preprocessor, const std::vector<std::string>& sources,
                    language language) {
  bool has_errors = false;
  for (const std::string& one : sources) {
    const translation result = translate(preprocess(preprocessor, one), language, standard_of(preprocessor));
    std::fputs(result.report.c_str(), stdout);
    std::fflush(stdout);
    has_errors = print(result.refused) || has_errors;
  }
  return has_errors ? 1 : 0;
}

std::string translated_sources::add(const std::vector<std::string>& preprocessor, const std::string& source,
                                    language language) {
  const translation result = translate(preprocess(preprocessor, source), language, standard_of(preprocessor));
  if (print(result.refused)) return "";
  if (!folder_) make_folder(folder_);
  // A folder for each, since objects are named by the file alone.
  const auto folder = folder_->path() / std::to_string(count_++);
  std::filesystem::create_directory(folder);
  const auto path = folder / (std::filesystem::path(source).stem().string() + (language == language::c ? ".i" : ".ii"));
  std::ofstream(path, std::ios::binary) << result.text;
  return path.string();
}

}  // namespace stretto::cc::acc
