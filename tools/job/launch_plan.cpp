#include "job/launch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <stretto/error.hpp>
#include <string_view>

namespace stretto::job {
namespace {

error hosts_error(const std::string& text) {
  return error("W56", fmt::format("--hosts cannot be \"{}\"", text))
      .remedy("--hosts alpha,beta:2 gives beta two nodes, alpha the others");
}

std::string reason_against(const mpi_found& mpi) {
  if (mpi.launcher.empty()) return fmt::format("its launcher, mpirun.{} or mpirun, is not in PATH", mpi.name);
  return fmt::format("there is no stretto_mpi_{}.so in {}", mpi.name, mpi.looked_in);
}

const mpi_found& choose(const launch_options& wanted, const host_environment& here) {
  error none("W54", wanted.mpi.empty() ? "no MPI can start nodes here"
                                       : fmt::format("{} cannot start nodes here", wanted.mpi));
  for (const mpi_found& mpi : here.mpis) {
    if (!wanted.mpi.empty() && mpi.name != wanted.mpi) continue;
    if (mpi.is_usable()) return mpi;
    none.fact(mpi.name, reason_against(mpi));
  }
  none.remedy("`stretto doctor` says how to repair it");
  throw none;
}

/// The hosts with the number of nodes of each; none if all nodes run on this host.
std::vector<host> shares(const launch_options& wanted, const host_environment& here) {
  std::vector<host> all = wanted.hosts;
  const auto is_here = [&](const host& h) {
    return h.name == here.host || h.name == "localhost" || h.name == "127.0.0.1";
  };
  std::uint32_t given = 0, unspecified = 0;  // nodes with a host; hosts without a count
  for (const host& h : all) {
    given += h.nodes;
    unspecified += h.nodes == 0;
  }
  if (!all.empty() && (unspecified ? given + unspecified > wanted.nodes : given != wanted.nodes))
    throw error("W56", fmt::format("{} do not fit the counts in --hosts",
                                   wanted.nodes == 1 ? "1 node" : fmt::format("{} nodes", wanted.nodes)))
        .fact("nodes", unspecified ? fmt::format("{} given for some hosts, and at least one for each of {} others",
                                                 given, unspecified)
                                   : fmt::format("{} in total for all hosts", given))
        .remedy(unspecified ? "name fewer hosts, or start more nodes" : fmt::format("-n {}", given));
  std::uint32_t left = wanted.nodes - std::min(given, wanted.nodes);
  for (host& h : all)
    if (h.nodes == 0) {
      h.nodes = (left + unspecified - 1) / unspecified;
      left -= h.nodes;
      --unspecified;
    }
  if (std::ranges::all_of(all, is_here)) all.clear();
  return all;
}

std::uint32_t most_of(const std::vector<host>& hosts, std::uint32_t otherwise) {
  std::uint32_t most = 0;
  for (const host& h : hosts) most = std::max(most, h.nodes);
  return most ? most : otherwise;
}

std::string listed(const std::vector<host>& hosts) {
  std::string text;
  for (const host& h : hosts) text += fmt::format("{}{}:{}", text.empty() ? "" : ",", h.name, h.nodes);
  return text;
}

void for_openmpi(plan& p, const launch_options& wanted, const host_environment& here, const std::vector<host>& hosts,
                 std::uint32_t most) {
  auto& c = p.command;
  const auto add = [&](std::initializer_list<std::string> words) { c.insert(c.end(), words); };
  add({"-q"});  // `stretto run` reports failures itself
  if (here.is_root) add({"--allow-run-as-root"});
  add({"-n", std::to_string(wanted.nodes)});
  if (hosts.empty()) p.variables["OMPI_MCA_plm"] = "isolated";  // else it requires ssh, although all nodes run here
  else add({"--host", listed(hosts)});
  if (2 * most > here.cores) add({"--oversubscribe"});  // Open MPI counts cores, here.cores hardware threads
  const auto each = here.cores / most;
  if (wanted.bind == binding::numa) add({"--bind-to", "numa"});
  else if (wanted.bind == binding::none || !each) add({"--bind-to", "none"});
  else if (each == 1) add({"--map-by", "core", "--bind-to", "core"});
  else add({"--map-by", fmt::format("slot:PE={}", each), "--bind-to", "core"});
  if (hosts.empty()) return;
  auto names = here.variables;
  for (const auto& [name, value] : p.variables) names.push_back(name);
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  for (const auto& name : names) add({"-x", name});
}

void for_mpich(plan& p, const launch_options& wanted, const host_environment& here, const std::vector<host>& hosts,
               std::uint32_t most) {
  auto& c = p.command;
  c.insert(c.end(), {"-n", std::to_string(wanted.nodes)});
  if (!hosts.empty()) c.insert(c.end(), {"-hosts", listed(hosts)});
  const auto each = here.cores / most;
  if (wanted.bind == binding::numa) c.insert(c.end(), {"-bind-to", "numa"});
  else if (wanted.bind == binding::cores && each) c.insert(c.end(), {"-bind-to", fmt::format("core:{}", each)});
}

/// The bootstrap interface (PMI, PMIx) of that MPI among those that srun supports; empty: none.
std::string interface_of(const std::string& mpi, const host_environment& here) {
  const auto usual =
      mpi == "openmpi" ? std::vector<std::string>{"pmix"} : std::vector<std::string>{"pmi2", "cray_shasta"};
  const auto found = std::ranges::find_first_of(usual, here.interfaces);
  return found != usual.end() ? *found : "";
}

/// srun's own choice is often "none", with which each process would be alone.
void choose_interface(plan& p, const launch_options& wanted, const host_environment& here) {
  if (wanted.mpi.empty() && here.has_chosen_interface) return;
  for (const mpi_found& mpi : here.mpis) {
    if (wanted.mpi.empty() ? mpi.library.empty() : mpi.name != wanted.mpi) continue;
    if (const auto known = interface_of(mpi.name, here); !known.empty()) {
      p.mpi = mpi.name;
      p.command.push_back("--mpi=" + known);
      return;
    }
  }
  if (!wanted.mpi.empty())
    p.command.push_back(wanted.mpi == "openmpi" ? "--mpi=pmix" : "--mpi=pmi2");  // srun then reports what it supports
}

void for_slurm(plan& p, const launch_options& wanted, const host_environment& here, const std::vector<host>& hosts) {
  auto& c = p.command;
  c.insert(c.end(), {"-n", std::to_string(wanted.nodes), "--kill-on-bad-exit=1"});
  if (here.allocated_cores && wanted.nodes > here.allocated_cores) c.push_back("--overcommit");
  choose_interface(p, wanted, here);
  std::string names;
  for (const host& h : hosts)
    for (std::uint32_t i = 0; i < h.nodes; ++i) names += (names.empty() ? "" : ",") + h.name;
  if (!hosts.empty()) c.insert(c.end(), {"--distribution=arbitrary", "--nodelist=" + names});
  c.push_back(wanted.bind == binding::none    ? "--cpu-bind=none"
              : wanted.bind == binding::cores ? "--cpu-bind=cores"
                                              : "--cpu-bind=ldoms");
}

std::string for_shell(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+=.,:/@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::vector<host> read_hosts(const std::string& text) {
  std::vector<host> all;
  std::string_view left = text;
  while (true) {
    const auto comma = left.find(',');
    const auto one = left.substr(0, comma);
    const auto colon = one.find(':');
    host h{std::string(one.substr(0, colon))};
    if (h.name.empty()) throw hosts_error(text).because("a host has a name");
    if (colon != one.npos) {
      const auto count = one.substr(colon + 1);
      const auto [end, fault] = std::from_chars(count.data(), count.data() + count.size(), h.nodes);
      if (fault != std::errc() || end != count.data() + count.size() || h.nodes == 0 || h.nodes > most_nodes)
        throw hosts_error(text).because(fmt::format("\"{}\" is not a valid number of nodes", count));
    }
    if (std::ranges::any_of(all, [&](const host& other) { return other.name == h.name; }))
      throw hosts_error(text).because(fmt::format("\"{}\" is there twice", h.name));
    all.push_back(std::move(h));
    if (comma == left.npos) return all;
    left.remove_prefix(comma + 1);
  }
}

plan plan_of(const launch_options& wanted, const host_environment& here) {
  const auto hosts = shares(wanted, here);
  plan p;
  p.variables = wanted.variables;
  const bool by_slurm = !here.srun.empty();
  const auto allocated = std::max(1u, here.allocated_hosts);
  const auto most = most_of(hosts, by_slurm ? (wanted.nodes + allocated - 1) / allocated : wanted.nodes);
  // Each host is taken to have as many cores as this one.
  const bool is_set = p.variables.contains("STRETTO_WORKERS") || std::ranges::count(here.variables, "STRETTO_WORKERS");
  if (!is_set && most > 1) {
    p.variables["STRETTO_WORKERS"] = std::to_string(std::max(1u, here.cores / most));
    p.variables["STRETTO_SHARED_CORES"] = "1";  // the user did not choose the number
  }
  if (by_slurm) {
    p.command = {here.srun};
    for_slurm(p, wanted, here, hosts);
    return p;
  }
  const mpi_found& mpi = choose(wanted, here);
  p.mpi = mpi.name;
  p.command = {mpi.launcher};
  if (mpi.name == "openmpi") for_openmpi(p, wanted, here, hosts, most);
  else for_mpich(p, wanted, here, hosts, most);
  return p;
}

std::string to_line(const plan& p, const std::vector<std::string>& program) {
  std::string line;
  const auto add = [&](const std::string& word) { line += (line.empty() ? "" : " ") + word; };
  for (const auto& [name, value] : p.variables) add(name + "=" + for_shell(value));
  for (const auto* words : {&p.command, &program})
    for (const auto& word : *words) add(for_shell(word));
  return line;
}

}  // namespace stretto::job
