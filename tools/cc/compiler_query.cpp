#include "cc/compiler_query.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stretto/error.hpp>
#include <string_view>

#include "base/config.hpp"
#include "base/whole_file.hpp"

namespace stretto::cc {
namespace {

constexpr std::array<std::string_view, 11> queries{"show",           "showme",         "compile_info",   "compile-info",
                                                   "link_info",      "link-info",      "showme:compile", "showme:link",
                                                   "showme:command", "showme:incdirs", "showme:libdirs"};
constexpr std::array<std::string_view, 2> more_queries{"showme:libs", "showme:version"};

/// The option without its dashes.
std::string_view bare(const std::string& argument) {
  const auto at = argument.find_first_not_of('-');
  return at == 1 || at == 2 ? std::string_view(argument).substr(at) : std::string_view();
}

std::string joined(const std::vector<std::string>& arguments) {
  std::string text;
  for (const auto& one : arguments) {
    const bool is_plain = one.find_first_of(" \t'\"\\$&|;<>()*?") == one.npos && !one.empty();
    text += (text.empty() ? "" : " ") + (is_plain ? one : "'" + one + "'");
  }
  return text;
}

// CMake's FindMPI sets both variables while it asks, and neither is set elsewhere as a rule.
bool is_find_mpi(language language) {
  const char* const one = std::getenv(language == language::c ? "MPICH_CC" : "MPICH_CXX");
  const char* const two = std::getenv(language == language::c ? "I_MPI_CC" : "I_MPI_CXX");
  return one && two && std::string_view(one) == two;
}

// FindMPI takes the options out of a line that it knows: -I, -f..., -Wl,... and -l, but -fPIC, which it leaves to
// POSITION_INDEPENDENT_CODE; and -fPIE, which executables then get, does not do. It splits an option at `\;`.
std::string compile_line(language language, const installation& tree) {
  const auto options = compile_options(tree);
  std::vector<std::string> headers{"-I" + tree.mpi_folder().string()};
  if (language == language::cxx)
    for (const auto& one : options_for_tasks(tree)) headers.push_back(one);
  const std::string rest = is_find_mpi(language) ? options[1] + "\\;" + options[0] : joined(options);
  return joined(headers) + " " + rest;
}

// Programs that another command links begin as the object says; `stretto cc` would correct them.
void check_start(const installation& tree) {
  const auto object = base::read_whole(tree.program_object(), 1 << 20);
  if (object && object.text.find(tree.start_file().string() + '\0') != object.text.npos) return;
  throw error("W64", "only stretto cc can link programs of ranks here")
      .because("stretto was moved to " + tree.prefix.string() + " after it was built")
      .remedy("cmake -DCMAKE_C_COMPILER=stretto-cc -DCMAKE_CXX_COMPILER=stretto-c++");
}

// The compiler's option chooses a shared object, or where only options for the linker pass, the linker's own.
std::string link_line(language language, const installation& tree) {
  check_start(tree);
  auto options = program_options(tree);
  if (is_find_mpi(language)) options = {"-Wl,-shared", "-Wl,-Bsymbolic", "-Wl," + tree.program_object().string()};
  for (const auto& one : library_options(tree)) options.push_back(one);
  return joined(options);
}

}  // namespace

bool is_query(const std::string& argument) {
  const auto name = bare(argument);
  return std::ranges::find(queries, name) != queries.end() ||
         std::ranges::find(more_queries, name) != more_queries.end();
}

std::optional<std::string> reply_to_query(language language, const installation& tree,
                                          const std::vector<std::string>& arguments,
                                          const std::vector<std::string>& command) {
  const auto found = std::ranges::find_if(arguments, is_query);
  if (found == arguments.end()) return std::nullopt;
  const auto name = bare(*found);
  if (name == "showme:compile" || name.starts_with("compile")) return compile_line(language, tree);
  if (name == "showme:link" || name.starts_with("link")) return link_line(language, tree);
  if (name == "showme:command") return command.front();
  if (name == "showme:incdirs") return tree.mpi_folder().string();
  if (name == "showme:libdirs") return tree.library_folder().string();
  if (name == "showme:libs") return "stretto_ranks";
  if (name == "showme:version") return "stretto " + std::string(base::version());
  return joined(command);
}

}  // namespace stretto::cc
