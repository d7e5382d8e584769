// run.cpp - stretto run: starts a program on several nodes with the launcher of an MPI or of Slurm, and reports how
// they ended.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stretto/error.hpp>

#include "base/error_output.hpp"
#include "base/nearest_name.hpp"
#include "job/launcher_discovery.hpp"
#include "job/launcher_process.hpp"
#include "job/node_process.hpp"
#include "net/mpi/mpi_library.hpp"
#include "ranks/process/rank_placement.hpp"
#include "stretto/arguments.hpp"
#include "stretto/named_program.hpp"

namespace stretto::tools {
namespace {

using nlohmann::ordered_json;
constexpr std::array bindings{"none", "cores", "numa"};

struct request {
  std::string nodes, hosts, mpi, bind = "none";
  std::string ranks, ranks_per_node, map, spare;  // of MPI programs; empty: as the program is started
  base::error_form errors = base::error_form::text;
  bool wander = false, label = false, verbose = false, dry_run = false, json = false, as_node = false;
};

std::uint32_t nodes_of(const std::string& text) {
  std::uint32_t n = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (fault != std::errc() || end != text.data() + text.size() || n == 0 || n > job::most_nodes)
    throw error("W52", fmt::format("-n cannot be \"{}\"", text))
        .fact("allowed", fmt::format("1 to {} nodes", job::most_nodes))
        .remedy("-n 2");
  return n;
}

bool has_ranks(const request& asked) { return !asked.ranks.empty() || !asked.ranks_per_node.empty(); }

/// Ranks label their own lines; a node's lines are labelled by what starts it.
bool labels_ranks(const request& asked) { return asked.label && has_ranks(asked); }

void add_rank_options(arguments& to, request& asked) {
  to.add_option("--ranks", asked.ranks, "ranks of an MPI program that stretto cc linked, on all nodes together")
      ->type_name("RANKS");
  to.add_option("--ranks-per-node", asked.ranks_per_node, "the same for each node")->type_name("RANKS");
  to.add_option("--map", asked.map, "slot, core, numa or node: how consecutive ranks are placed; else slot")
      ->type_name("HOW");
  to.add_option("--ranks-spare", asked.spare, "threads that run ranks while others block workers in system calls")
      ->type_name("THREADS");
  to.add_flag("--ranks-wander", asked.wander, "let idle workers take ranks of others; else each rank stays on one");
}

std::size_t one_of(const char* flag, const std::string& said, const std::vector<std::string>& allowed) {
  const auto found = std::ranges::find(allowed, said);
  if (found != allowed.end()) return static_cast<std::size_t>(found - allowed.begin());
  std::string list;
  for (const auto& one : allowed) list += (list.empty() ? "" : &one == &allowed.back() ? " or " : ", ") + one;
  throw error("W53", fmt::format("{} cannot be \"{}\"", flag, said))
      .fact("allowed", list)
      .remedy(base::did_you_mean(said, allowed));
}

job::launch_options launch_options_of(const request& asked, const base::environment& variables) {
  job::launch_options wanted{.nodes = nodes_of(asked.nodes), .variables = variables};
  wanted.bind = static_cast<job::binding>(one_of("--bind", asked.bind, {bindings.begin(), bindings.end()}));
  if (!asked.hosts.empty()) wanted.hosts = job::read_hosts(asked.hosts);
  if (!asked.mpi.empty()) one_of("--mpi", asked.mpi, {std::begin(net::mpi::names), std::end(net::mpi::names)});
  wanted.mpi = asked.mpi;
  if (!asked.map.empty())
    one_of("--map", asked.map, {std::begin(ranks::placement_names), std::end(ranks::placement_names)});
  const auto set = [&](const char* variable, const std::string& value) {
    if (!value.empty()) wanted.variables[variable] = value;
  };
  set("STRETTO_RANKS", asked.ranks);
  set("STRETTO_RANKS_PER_NODE", asked.ranks_per_node);
  set("STRETTO_RANKS_MAP", asked.map);
  set("STRETTO_RANKS_SPARE", asked.spare);
  if (asked.wander) set("STRETTO_RANKS_WANDER", "1");
  if (labels_ranks(asked)) set("STRETTO_RANKS_LABEL", "1");
  return wanted;
}

ordered_json described(const job::plan& p, const std::vector<std::string>& program, std::uint32_t nodes) {
  auto command = p.command;
  command.insert(command.end(), program.begin(), program.end());
  return {{"nodes", nodes},
          {"mpi", p.mpi.empty() ? ordered_json() : ordered_json(p.mpi)},
          {"variables", p.variables},
          {"command", command}};
}

ordered_json described(const job::node_end& e) {
  return {{"node", e.node},
          {"host", e.host},
          {"process", e.process},
          {"exit_code", e.how == job::ending::exit_code ? ordered_json(e.number) : ordered_json()},
          {"signal", e.how == job::ending::signal ? ordered_json(e.number) : ordered_json()},
          {"says", job::to_text(e)}};
}

error lost_node(const job::job_end& end, const request& asked, std::uint32_t nodes, const std::string& program) {
  const job::node_end& first = end.nodes.front();
  error e = first.is_of_ranks ? error("R94", fmt::format("node N{} has failed: all ranks of the job end", first.node))
                                    .because("its process " + job::to_text(first))
                              : error("W55", fmt::format("node {} of {} {}", first.node, nodes, job::to_text(first)));
  e.fact("host", first.host).fact("process", std::to_string(first.process)).fact("program", program);
  for (std::size_t i = 1; i < std::min<std::size_t>(end.nodes.size(), 5); ++i)
    e.fact("also", fmt::format("node {} on {} {}", end.nodes[i].node, end.nodes[i].host, job::to_text(end.nodes[i])));
  if (end.nodes.size() > 5) e.fact("and", fmt::format("{} more", end.nodes.size() - 5));
  if (nodes > 1 && !first.is_of_ranks) e.because("when one node fails, the whole job is ended");
  if (first.how == job::ending::not_started)
    e.remedy("install the program and stretto at the same paths on every host");
  else if (!asked.label && nodes > 1) e.remedy("--label shows which node printed what");
  return e;
}

error ended_by_signal(int signal, std::uint32_t nodes, const std::string& program) {
  return error("W65", fmt::format("signal {} ({}) has ended all nodes", signal, ::strsignal(signal)))
      .fact("nodes", std::to_string(nodes))
      .fact("program", program)
      .because("stretto run got the signal, and passed it to every node");
}

/// As a shell would report the end of the node's process.
int exit_code_of(const job::node_end& e) {
  switch (e.how) {
    case job::ending::signal: return 128 + e.number;
    case job::ending::not_started: return 127;
    case job::ending::exit_code: break;
  }
  return e.number ? e.number : 1;
}

/// The first node that ended is one of ranks. Prints an error if no rank has, and the exit code is not the program's.
int end_of_ranks(const job::job_end& end, const request& asked, std::uint32_t nodes, const std::string& program) {
  const job::node_end& first = end.nodes.front();
  const bool is_own_code = first.how == job::ending::exit_code && !first.is_in_job;
  if (!is_own_code && std::ranges::none_of(end.nodes, &job::node_end::is_reported))
    base::print_error(lost_node(end, asked, nodes, program), asked.errors);
  return exit_code_of(first);
}

int start(const request& asked, const job::plan& p, const std::vector<std::string>& program,
          const std::vector<std::string>& named) {
  const auto nodes = nodes_of(asked.nodes);
  if (asked.verbose) fmt::print(stderr, "{}\n", job::to_line(p, program));
  std::fflush(stdout);
  const auto show = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
  const auto end = job::run_launcher(p, program, {.errors = show});
  if (asked.json) {
    auto all = described(p, program, nodes);
    all["exit_code"] = end.exit_code;
    all["ended"] = ordered_json::array();
    for (const auto& e : end.nodes) all["ended"].push_back(described(e));
    fmt::print("{}\n", all.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  }
  if (end.ended_by_signal) {
    base::print_error(ended_by_signal(end.ended_by_signal, nodes, named.front()), asked.errors);
    return 128 + end.ended_by_signal;
  }
  if (!end.nodes.empty() && end.nodes.front().is_of_ranks) return end_of_ranks(end, asked, nodes, named.front());
  if (!end.nodes.empty()) throw lost_node(end, asked, nodes, named.front());
  if (end.exit_code)
    throw error("W57", fmt::format("the launcher ended with exit code {}", end.exit_code))
        .fact("launcher", p.command.front())
        .because("no node failed by itself; the launcher's output is above")
        .remedy("stretto run --verbose shows its command line; `stretto doctor` tries each MPI");
  return 0;
}

}  // namespace

int run_run(const invocation& call) {
  arguments words(call);
  request asked;
  asked.errors = base::error_form_of(base::stretto_environment(), call.arguments);
  words.footer(
      "Behind the flags stand the program and its arguments: stretto run -n 2 ./program --its-flag\n"
      "The options of the runtime, such as --workers, are for the program: stretto options");
  words.add_option("-n,--nodes", asked.nodes, "how many nodes: processes, each with a runtime")->type_name("NODES");
  add_rank_options(words, asked);
  words.add_option("--hosts", asked.hosts, "where they run, HOST[:NODES],...; else all here, or where Slurm says")
      ->type_name("HOSTS");
  words.add_option("--mpi", asked.mpi, "openmpi or mpich; else the first that can be used")->type_name("NAME");
  words.add_option("--bind", asked.bind, "none, cores or numa: what each node's threads are bound to; else none")
      ->type_name("WHAT");
  words.add_flag("--label", asked.label,
                 "put the number of the rank, or of the node, in front of each line that it prints");
  words.add_flag("--verbose", asked.verbose, "first print the launcher's command line");
  words.add_flag("--dry-run", asked.dry_run, "only print it");
  words.add_json(asked.json);
  words.add_flag("--as-node", asked.as_node)->group("");  // what the launcher starts for each node
  words.end_at_program();
  if (!words.read()) return 0;
  if (asked.as_node)
    return job::run_node_process(words.program(), asked.label ? job::output::labelled : job::output::as_it_is);

  const char* const said = std::getenv("PATH");
  const std::string path = said ? said : "";
  if (asked.nodes.empty() && has_ranks(asked)) asked.nodes = "1";
  if (asked.nodes.empty())
    throw error("W52", "stretto run needs the number of nodes")
        .fact("allowed", fmt::format("1 to {} nodes", job::most_nodes))
        .remedy("-n 2");
  const auto wanted = launch_options_of(asked, words.for_program());
  if (words.program().empty())
    throw error("W50", "stretto run needs a program to run").remedy("stretto run -n 2 ./program ARGUMENT...");
  check_program(words.program().front(), path);
  auto here = job::detect_host_environment(path);
  const auto named = words.for_program().find("STRETTO_MPI_FOLDER");
  here.mpis = job::find_mpis(path, named == words.for_program().end() ? call.options.values.mpi_folder : named->second);
  const auto plan = job::plan_of(wanted, here);
  std::vector<std::string> program{job::own_path(), "run", "--as-node"};
  if (asked.label && !labels_ranks(asked)) program.push_back("--label");
  program.push_back("--");
  program.insert(program.end(), words.program().begin(), words.program().end());
  if (!asked.dry_run) return start(asked, plan, program, words.program());
  if (asked.json) fmt::print("{}\n", described(plan, program, wanted.nodes).dump(2));
  else fmt::print("{}\n", job::to_line(plan, program));
  return 0;
}

}  // namespace stretto::tools
