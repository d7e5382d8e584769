#include "stretto/graph_of_program.hpp"

#include <fcntl.h>
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
#include <fstream>
#include <iterator>

#include <stretto/error.hpp>

#include "base/child_process.hpp"
#include "base/whole_file.hpp"
#include "buffers/dry_run.hpp"
#include "graph/timeline.hpp"
#include "stretto/command.hpp"
#include "stretto/named_program.hpp"
#include "stretto/terminal.hpp"

namespace stretto::tools {
namespace {

/// Returns the status of waitpid. The output of the program goes to standard error, or to the file `says` if that is
/// not empty.
int run_to_its_end(const std::vector<std::string>& program, const base::environment& variables,
                   const std::string& says) {
  std::vector<std::string> changed;
  for (const auto& [name, value] : variables) changed.push_back(name + "=" + value);
  const std::vector<char*> environment = base::environment_with(changed);
  std::vector<char*> words;
  for (const std::string& w : program) words.push_back(const_cast<char*>(w.c_str()));
  words.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!says.empty())
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, says.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed)
    throw error("W58", fmt::format("the program {} could not be started", program.front()))
        .because(std::strerror(failed));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void refuse_bad_end(int status, const std::string& program) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw error("W58", WIFSIGNALED(status)
                         ? fmt::format("the program {} ended by signal {} ({})", program, WTERMSIG(status),
                                       strsignal(WTERMSIG(status)))
                         : fmt::format("the program {} ended with exit code {}", program, WEXITSTATUS(status)))
      .because("in a dry run it cannot read buffers, unless it checks is_dry_run() first")
      .remedy("see the program's output above, and `stretto explain B09`");
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct outcome {
  std::string graph;
  int status = 0;
};

outcome run_dry(const program_graph& asked) {
  const char* const path = std::getenv("PATH");
  check_program(asked.program.front(), path ? path : "");
  const base::settings values = base::parse_options(asked.variables, {}).values;
  buffers::dry_settings_of(values);
  graph::costs_of(values.graph_costs);
  const base::temporary_folder folder("stretto-graph");
  const std::string graph = folder.path() / ("graph." + asked.as), said = folder.path() / "said";
  base::environment variables = asked.variables;
  // The file that is there is not taken for one that was written; and its name need not end as graphs do.
  variables["STRETTO_GRAPH"] = graph;
  std::fflush(stdout);
  const int status = run_to_its_end(asked.program, variables, asked.is_quiet ? said : "");
  if (asked.is_quiet && status != 0) std::fputs(text_of_file(said).c_str(), stderr);
  if (!std::filesystem::exists(graph)) {
    refuse_bad_end(status, asked.program.front());
    throw error("W59", fmt::format("the program {} wrote no graph", asked.program.front()))
        .because("the runtime writes the graph at its end, and the program made no runtime, or did not end it")
        .remedy("name a program that uses Stretto and returns from main");
  }
  return {text_of_file(graph), status};
}

}  // namespace

base::environment dry_variables(const invocation& call, std::uint64_t nodes, const std::string& which) {
  base::environment variables;
  for (const base::option& row : base::option_table()) {
    const std::string& origin = call.options.origin[static_cast<std::size_t>(&row - base::option_table().data())];
    if (origin == "flag") variables[base::variable_of(row)] = base::spelt(row, call.options.values);
  }
  std::string size = std::to_string(nodes);
  const std::string& devices = call.options.values.devices;
  if (!devices.empty() && std::ranges::all_of(devices, [](char c) { return c >= '0' && c <= '9'; })) {
    size += "x" + devices;
    variables.erase("STRETTO_DEVICES");
  }
  variables["STRETTO_DRY_NODES"] = size + ":" + which;
  return variables;
}

std::string graph_of(const program_graph& asked) {
  outcome was = run_dry(asked);
  refuse_bad_end(was.status, asked.program.front());
  return std::move(was.graph);
}

int show_program_graph(const program_graph& asked) {
  const outcome was = run_dry(asked);
  if (asked.file.empty()) {
    print_text("{}", was.graph);
  } else {
    errno = 0;
    std::ofstream out(asked.file, std::ios::binary);
    out << was.graph;
    out.close();
    if (!out)
      throw error("W05", "the output could not be written")
          .fact("file", asked.file)
          .because(errno ? std::strerror(errno) : "the system gave no reason");
  }
  refuse_bad_end(was.status, asked.program.front());
  return 0;
}

}  // namespace stretto::tools
