// main.cpp - the stretto command: one table of subcommands, one way to report a failure.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stretto/error.hpp>
#include <system_error>

#include "base/config.hpp"
#include "base/error_output.hpp"
#include "base/nearest_name.hpp"
#include "stretto/command.hpp"

namespace stretto::tools {

std::span<const command> commands() {
  static constexpr std::array table{
      command{"demo", "Runs a demonstration program", run_demo},
      command{"run", "Starts a program on several nodes, of this host or of others", run_run, runtime_flags::are_left},
      command{"cc", "Compiles and links an MPI program in C, as mpicc does", run_cc, runtime_flags::are_left},
      command{"c++", "Compiles and links an MPI program in C++, as mpicxx does", run_cxx, runtime_flags::are_left},
      command{"new", "Writes the files of a new module, which build and pass their tests at once", run_new},
      command{"platform", "Shows the graph of places: processors, memories and how they are linked", run_platform},
      command{"doctor", "Tells what is here, what is missing, which limits bite, and how fast it is", run_doctor},
      command{"top", "Shows what the workers of a running program do", run_top},
      command{"report", "Tells of a recorded run: critical path, idle time, copies, what to change", run_report},
      command{"join", "Joins the timelines of a job's nodes in one file, for Perfetto and chrome://tracing", run_join},
      command{"graph", "Draws a part of a recorded run as a graph, or what a program would do on many nodes",
              run_graph},
      command{"scaling", "Predicts how fast a program would be on more and more nodes, without them", run_scaling},
      command{"options", "Shows every option, its value and where that comes from", run_options},
      command{"why", "Tells what a program that hung was waiting for, from its report", run_why},
      command{"explain", "Explains an error by its code", run_explain},
  };
  return table;
}

namespace {

constexpr int done = 0, asked_wrongly = 2;

void print_help() {
  fmt::print("stretto: deferred execution on many unlike processors\n\nstretto COMMAND [ARGUMENT...]\n\n");
  for (const auto& one : commands()) fmt::print("  {:10}{}\n", one.name, one.summary);
  fmt::print("\nstretto COMMAND --help says more about one; stretto --version tells the version.\n");
}

int run(std::vector<std::string> words) {
  const std::string name = words.empty() ? "--help" : words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return words.empty() ? asked_wrongly : done;
  }
  if (name == "--version") {
    fmt::print("stretto {} ({})\n", base::version(), base::built_with());
    return done;
  }
  const auto found = std::ranges::find(commands(), name, &command::name);
  if (found == commands().end()) {
    std::vector<std::string> names{"--help", "--version"};
    for (const auto& one : commands()) names.emplace_back(one.name);
    const auto near = base::did_you_mean(name, names);
    throw error("W01", fmt::format("stretto has no command \"{}\"", name))
        .remedy(near.empty() ? "stretto --help" : near);
  }
  words.erase(words.begin());
  const bool are_left = found->runtime_flags == runtime_flags::are_left;
  auto options = base::parse_options(base::stretto_environment(), are_left ? std::vector<std::string>() : words,
                                     base::foreign_arguments::keep);
  for (const error& e : options.misspelt) base::print_warning(e, options.values.errors);
  auto rest = are_left ? std::move(words) : std::move(options.rest);
  return found->run({found->name, found->summary, std::move(options), std::move(rest)});
}

error output_not_written(int why) {
  return error("W05", "the output could not be written").because(std::strerror(why));
}

// A full disk shows when the text leaves our buffer, which may be as late as here.
void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw output_not_written(errno);
}

// Wrong arguments and failed work have different exit codes.
bool is_usage(const std::string& code) {
  static constexpr std::array usage{"W01", "W02", "W03", "W04", "W06", "W10", "W11", "W12", "W13", "W14",
                                    "W16", "W27", "W30", "W33", "W34", "W36", "W40", "W50", "W51", "W52",
                                    "W53", "W56", "W66", "P13", "T14", "T15", "T16", "T18"};
  return code.starts_with("B1") || code == "B21" || std::ranges::find(usage, code) != usage.end();
}

}  // namespace
}  // namespace stretto::tools

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const auto form = stretto::base::error_form_of(stretto::base::stretto_environment(), words);
  try {
    const int code = stretto::tools::run(words);
    stretto::tools::flush_output();
    return code;
  } catch (const stretto::error& e) {
    stretto::base::print_error(e, form);
    return stretto::tools::is_usage(e.code()) ? stretto::tools::asked_wrongly : 1;
  } catch (const std::system_error& e) {  // where more text than the buffer holds is printed, from within that
    if (std::ferror(stdout)) stretto::base::print_error(stretto::tools::output_not_written(e.code().value()), form);
    else stretto::base::print_error(e, form);
    return 1;
  } catch (const std::exception& e) {
    stretto::base::print_error(e, form);
    return 1;
  }
}
