#include "stretto/graph_of_program.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <stretto/error.hpp>

#include "buffers/dry_run.hpp"
#include "stretto/named_program.hpp"

namespace stretto::tools {
namespace {

/// A file of this process alone, gone with it.
class own_file {
 public:
  explicit own_file(const std::string& ending)
      : path_(std::filesystem::temp_directory_path() / fmt::format("stretto-graph-{}.{}", ::getpid(), ending)) {
    std::filesystem::remove(path_);
  }
  own_file(const own_file&) = delete;
  ~own_file() {
    std::error_code nothing_to_do;
    std::filesystem::remove(path_, nothing_to_do);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// The state that waitpid tells.
int run_to_its_end(const std::vector<std::string>& program, const base::environment& variables) {
  std::map<std::string, std::string> all;
  for (char** one = environ; *one; ++one) {
    const std::string text = *one;
    all[text.substr(0, text.find('='))] = text;
  }
  for (const auto& [name, value] : variables) all[name] = name + "=" + value;
  std::vector<char*> words, environment;
  for (const std::string& w : program) words.push_back(const_cast<char*>(w.c_str()));
  for (auto& [name, text] : all) environment.push_back(text.data());
  words.push_back(nullptr), environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed) throw error("W58", fmt::format("the program {} could not be started", program.front())).because(std::strerror(failed));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void refuse_bad_end(int status, const std::string& program) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw error("W58", WIFSIGNALED(status) ? fmt::format("the program {} ended by signal {} ({})", program, WTERMSIG(status), strsignal(WTERMSIG(status)))
                                         : fmt::format("the program {} ended with exit code {}", program, WEXITSTATUS(status)))
      .because("it was run dry: what it reads of buffers is not there, unless it asks is_dry_run() first")
      .remedy("what the program itself says is above; `stretto explain B09`");
}

}  // namespace

int show_program_graph(const program_graph& asked) {
  const char* const path = std::getenv("PATH");
  check_program(asked.program.front(), path ? path : "");
  buffers::dry_settings_of(base::parse_options(asked.variables, {}).values);
  const own_file here(asked.as);
  const std::string to = asked.file.empty() ? here.path() : asked.file;
  base::environment variables = asked.variables;
  // The file that is there is not taken for one that was written; and its name need not end as graphs do.
  variables["STRETTO_GRAPH"] = here.path();
  std::fflush(stdout);
  const int status = run_to_its_end(asked.program, variables);
  std::ifstream file(here.path(), std::ios::binary);
  if (!file) {
    refuse_bad_end(status, asked.program.front());
    throw error("W59", fmt::format("the program {} wrote no graph", asked.program.front()))
        .because("a graph is written at the end of a runtime, and the program made none, or did not end it")
        .remedy("name a program of Stretto's, which returns from main");
  }
  const std::string graph{std::istreambuf_iterator<char>(file), {}};
  if (asked.file.empty()) {
    std::fwrite(graph.data(), 1, graph.size(), stdout);
  } else {
    errno = 0;
    std::ofstream out(to, std::ios::binary);
    out << graph;
    out.close();
    if (!out) throw error("W05", "the output could not be written").fact("file", to).because(errno ? std::strerror(errno) : "the system gave no reason");
  }
  refuse_bad_end(status, asked.program.front());
  return 0;
}

}  // namespace stretto::tools
