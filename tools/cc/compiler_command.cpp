#include "cc/compiler_command.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stretto/error.hpp>

#include "cc/acc/directive_search.hpp"
#include "cc/acc/source_preprocessor.hpp"
#include "cc/compiler_call.hpp"
#include "cc/compiler_query.hpp"
#include "cc/installation.hpp"
#include "cc/linked_program.hpp"
#include "cc/object_symbols.hpp"
#include "cc/response_file.hpp"

namespace stretto::cc {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> compiler(language language) {
  const char* const chosen = std::getenv(language == language::c ? "STRETTO_CC" : "STRETTO_CXX");
  if (chosen && *chosen) return split_text(chosen);
  return {language == language::c ? "cc" : "c++"};
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Sources see that OpenACC 3.3 is there.
std::vector<std::string> compiler_with_headers(language language, const installation& tree) {
  auto command = compiler(language);
  append(command, {"-I" + tree.mpi_folder().string(), "-I" + tree.acc_folder().string()});
  append(command, {"-D_OPENACC=202211", "-D__STRETTO_ACC_MPI__=1"});
  if (language == language::cxx) append(command, options_for_tasks(tree));
  return command;
}

std::vector<std::string> command_for(language language, const installation& tree, const compiler_call& call) {
  auto command = compiler_with_headers(language, tree);
  if (call.product == product::program) {
    append(command, program_options(tree));
    command.push_back("-Wl,-u,main");  // main may be in an archive, of which a shared object would not take it
  }
  append(command, call.arguments);
  append(command, compile_options(tree));
  if (call.product != product::objects) append(command, library_options(tree));
  return command;
}

/// The options that make a list of headers for build systems, complete: of the object that `source` is compiled to.
std::vector<std::string> list_options(const compiler_call& call, const std::string& source) {
  std::vector<std::string> options;
  bool has_file = false, has_target = false;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const std::string& one = call.arguments[i];
    if (!one.starts_with("-M")) continue;
    options.push_back(one);
    const bool is_file = one.starts_with("-MF"), is_target = one.starts_with("-MT") || one.starts_with("-MQ");
    has_file = has_file || is_file;
    has_target = has_target || is_target;
    if ((is_file || is_target) && one.size() == 3 && i + 1 < call.arguments.size())
      options.push_back(call.arguments[++i]);
  }
  if (options.empty()) return options;
  const bool names_product = call.has_output && call.inputs.size() == 1;
  const fs::path object = names_product ? fs::path(call.output) : fs::path(source).filename().replace_extension(".o");
  if (!has_file) append(options, {"-MF", fs::path(object).replace_extension(".d").string()});
  if (!has_target) append(options, {"-MT", object.string()});
  return options;
}

/// The command that preprocesses one source, which is added to it: OpenACC's directives stay in its output.
std::vector<std::string> preprocessor_for(language language, const installation& tree, const compiler_call& call) {
  auto command = compiler_with_headers(language, tree);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const std::string& one = call.arguments[i];
    const bool names_output = one.starts_with("-o") || one.starts_with("-M");
    if (one == "-o" || one == "-MF" || one == "-MT" || one == "-MQ") ++i;
    else if (!names_output && one != "-c" && one != "-S" && !std::ranges::count(call.inputs, one))
      command.push_back(one);
  }
  command.push_back("-E");
  return command;
}

/// Puts translations in place of sources with directives of OpenACC. Returns whether all could be translated.
bool translate_sources(language language, const installation& tree, compiler_call& call,
                       acc::translated_sources& into) {
  if (call.makes_text) return true;
  const std::vector<std::string> options = with_response_files(call.arguments);
  for (const std::string& source : std::vector(call.inputs)) {
    if (!acc::has_directives(source, options)) continue;
    auto preprocessor = preprocessor_for(language, tree, call);
    append(preprocessor, list_options(call, source));
    const std::string translated = into.add(preprocessor, source, language);
    if (translated.empty()) return false;
    call.arguments = with_response_files(call.arguments);
    std::ranges::replace(call.arguments, source, translated);
  }
  return true;
}

int run(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const auto& one : command) argv.push_back(const_cast<char*>(one.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  if (const int failed = ::posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ); failed != 0)
    throw error("W60", fmt::format("the compiler \"{}\" cannot be started", command.front()))
        .because(std::strerror(failed))
        .remedy("name another one: STRETTO_CC=gcc, STRETTO_CXX=g++");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int compile(language language, const std::vector<std::string>& arguments) {
  const auto tree = find_installation();
  std::vector<std::string> passed = arguments;
  std::erase_if(passed, is_query);
  const bool is_shown = std::erase(passed, "--acc-show") > 0;
  auto call = read_call(passed);
  if (is_shown && !call.inputs.empty())
    return acc::show_directives(preprocessor_for(language, tree, call), call.inputs, language);
  acc::translated_sources translated;
  if (!std::ranges::any_of(arguments, is_query) && !translate_sources(language, tree, call, translated)) return 1;
  const auto command = command_for(language, tree, call);
  if (const auto reply = reply_to_query(language, tree, arguments, command)) {
    std::puts(reply->c_str());
    return 0;
  }
  if (call.product != product::objects)
    for (const auto& one : call.inputs) check_input(one);
  const int code = run(command);
  if (code == 0 && call.product == product::program) finish_program(call.output, tree);
  return code;
}

}  // namespace stretto::cc
