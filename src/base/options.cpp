#include "base/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stretto/error.hpp>

#include "base/debug_build.hpp"
#include "base/nearest_name.hpp"

namespace stretto::base {
namespace {

/// Made at first use and never destroyed: a runtime may be an object of static storage.
const std::vector<option>& table() {
  const std::vector<std::string> zero_or_one{"0", "1"}, off_auto_on{"off", "auto", "on"};
  // clang-format off
  static const std::vector<option>& rows = *new const std::vector<option>{
      {"workers", &settings::workers, "0", "0", "4096", {}, "",
       "number of worker threads, which run tasks; 0 means one per core"},
      {"stack_size", &settings::stack_size, "256k", "16k", "1G", {}, "bytes",
       "size of a task's stack"},
      {"max_suspended", &settings::max_suspended, "60000", "1", "100000000", {}, "tasks",
       "tasks that may be suspended at once; each holds a stack and two memory mappings"},
      {"seed", &settings::seed, "0", "0", "", {}, "",
       "seed of all random choices; a stepped runtime replays them exactly"},
      {"stuck", &settings::stuck, "0", "0", "1000000", {}, "seconds",
       "time without progress after which a hang report is printed; 0 means never; if not set, 10, and without a "
       "terminal proven hangs only",
       agreement::all_nodes},
      {"stuck_file", &settings::stuck_file, "", "", "", {}, "path",
       "file that receives the last hang report, for `stretto why`"},
      {"check", &settings::check, is_debug_build() ? "1" : "0", "", "", {"0", "1", "learn"}, "",
       "check for races, reads of unwritten elements and indices out of range; if not set, 1 in a debug build; "
       "learn also suggests mappers for kernels on buffers"},
      {"platform", &settings::platform, "", "", "", {}, "path",
       "platform file, used instead of the discovered platform"},
      {"devices", &settings::devices, "none", "", "", {}, "list",
       "devices that the program uses: all, none, or a list of kinds such as cuda,opencl or sim:4(shared_bus)"},
      {"deal_devices", &settings::deal_devices, "1", "", "", zero_or_one, "",
       "divide the CUDA and OpenCL devices of a host, and the memory of shared devices, among the processes that "
       "one launcher started there; 0 lets each process open all devices",
       agreement::all_nodes},
      {"device_memory", &settings::device_memory, "0", "0", "", {}, "bytes",
       "memory that the runtime uses of each device; 0 means nine tenths of the free memory, or half of an "
       "OpenCL device's memory"},
      {"device_host_memory", &settings::device_host_memory, "0", "0", "", {}, "bytes",
       "host memory that kernels of each device access in place, as a memory of its own; 0 means none"},
      {"device_streams", &settings::device_streams, "5", "1", "64", {}, "",
       "kernels of one device that may run concurrently"},
      {"device_threads", &settings::device_threads, "0", "", "", zero_or_one, "",
       "poll each device from a dedicated thread instead of from idle workers"},
      {"locked_memory", &settings::locked_memory, "1G", "0", "", {}, "bytes",
       "largest page-locked part of each host memory, if a device copies faster from locked pages; pages are "
       "locked as they come into use; 0 means none"},
      {"device_messages", &settings::device_messages, "1", "", "", zero_or_one, "",
       "send and receive elements in device memory directly, if the MPI or the devices can; 0 sends them through "
       "host memory"},
      {"host_memory", &settings::host_memory, "0", "0", "", {}, "bytes",
       "largest part of each host memory that instances and objects use; 0 means all memory of the machine"},
      {"spill", &settings::spill, "", "", "", {}, "path",
       "folder on a disk that receives the data of objects when host memory is full; empty means none"},
      {"kept_heap", &settings::kept_heap, "64M", "0", "", {}, "bytes",
       "freed memory that the heap of a node's process keeps for later messages instead of returning it to the "
       "system, which avoids page faults; 0 leaves the heap unchanged, and so does a program without other nodes"},
      {"scheduler", &settings::scheduler, "earliest_finish", "", "",
       {"fifo", "locality", "earliest_finish", "work_stealing"}, "",
       "policy that selects the device for a task on objects"},
      {"speeds", &settings::speeds, "", "", "", {}, "path",
       "file that keeps measured kernel speeds between runs; empty means a file in the user's cache, none means "
       "no file"},
      {"prefetch", &settings::prefetch, "4", "1", "1000", {}, "",
       "tasks on objects that are issued to a place ahead of time, if several places can run them"},
      {"job", &settings::job, "auto", "", "", {"auto", "alone", "mpi"}, "",
       "whether this process is a node of a job; auto means yes if a launcher started several processes"},
      {"mpi_threads", &settings::mpi_threads, "auto", "", "", {"auto", "funneled", "serialized", "multiple"}, "",
       "threads that may call MPI, if the runtime initialises it: worker 0 only, any one at a time, or any at "
       "any time; auto means multiple if the program is linked with an MPI, else serialized"},
      {"global_memory", &settings::global_memory, "0", "0", "64G", {}, "bytes",
       "each node's share of the global memory, which all nodes access directly; pages are allocated on first "
       "use; 0 means no global memory",
       agreement::all_nodes},
      {"message_memory", &settings::message_memory, "256M", "64K", "", {}, "bytes",
       "largest memory for messages that a node has sent and receivers have not consumed, and as much for "
       "received messages that have not started; above it, senders are suspended"},
      {"largest_message", &settings::largest_message, "0", "0", "", {}, "bytes",
       "largest message that a node accepts; elements of arrays do not count; 0 means as much as the host has "
       "free",
       agreement::all_nodes},
      {"lane_memory", &settings::lane_memory, "16M", "0", "64G", {}, "bytes",
       "memory shared with other processes of the host, through which large messages go; pages are allocated on "
       "first use; 0 sends them by MPI"},
      {"mpi_folder", &settings::mpi_folder, "", "", "", {}, "path",
       "folder of Stretto's libraries for each MPI; empty means where Stretto is installed or was built"},
      {"balance", &settings::balance, "none", "", "", {"none", "greedy", "refine", "diffusion", "stealing"}, "",
       "policy that moves mobile objects between nodes, every 500 milliseconds, by the measured cost of their handlers",
       agreement::all_nodes},
      {"weights", &settings::weights, "devices", "", "", {"off", "devices", "nodes"}, "",
       "measure speeds and weight shares of launches on buffers by them: off, between the devices of each node, "
       "or also between nodes; a stepped runtime measures nothing",
       agreement::all_nodes},
      {"compare_nodes", &settings::compare_nodes, "1", "", "", zero_or_one, "",
       "compare the buffer calls of all nodes, and end the job with error B23 if they differ",
       agreement::all_nodes},
      {"pipeline", &settings::pipeline, "auto", "", "", off_auto_on, "",
       "generate the operations of a launch on buffers in a task of the runtime while the program goes on, if no "
       "check of the launch can fail; auto does so if the launch is predicted to be slow and a worker is idle"},
      {"trace", &settings::trace, "", "", "", {}, "path",
       "file that receives the trace at the end of the run, for Perfetto or chrome://tracing"},
      {"trace_level", &settings::trace_level, "sampled", "", "", {"off", "sampled", "full"}, "",
       "detail of the trace; sampled counts very short tasks and measures some of them"},
      {"graph", &settings::graph, "", "", "", {}, "path",
       "file that receives the graph of buffer operations at the end of the run; its name ends in .dot, .json or "
       ".svg"},
      {"graph_kind", &settings::graph_kind, "commands", "", "",
       {"tasks", "commands", "instructions", "timeline", "prediction"}, "",
       "what the graph shows: tasks (launches), the node's commands, their instructions, a predicted timeline of "
       "these, or only the predicted total time"},
      {"dry_nodes", &settings::dry_nodes, "", "", "", {}, "job's size",
       "job that a dry run assumes: NODES, NODESxDEVICES or NODESxDEVICES:LIST; the program runs alone, executes no "
       "buffer operations, and generates the commands of the nodes in LIST, such as 0,2-4 or all, else of node 0; "
       "without DEVICES each node has those that the option devices opens; empty means no dry run"},
      {"graph_costs", &settings::graph_costs, "", "", "", {}, "list",
       "costs for a predicted timeline that differ from the defaults: task=2e-6,launch=5e-6,items=1e9,"
       "copy_latency=5e-6,copy_bytes=1e10,message_latency=2e-6,message_bytes=1e10"},
      {"statistics", &settings::statistics, "0", "", "", zero_or_one, "",
       "print counters per module and per place at the end of the run"},
      {"live", &settings::live, "0", "", "", zero_or_one, "",
       "list the program in `stretto top` from its start; 0 lists it once it has been inspected by its PID"},
      {"log", &settings::log, "warn", "", "", {"off", "error", "warn", "info", "debug"}, "",
       "how much a runtime logs"},
      {"errors", &settings::errors, "text", "", "", {"text", "json"}, "",
       "form of printed errors; json prints one object per line, with the same fields"},
      {"progress", &settings::progress, "auto", "", "", off_auto_on, "",
       "show a progress line during long work; auto means on a terminal"},
      {"color", &settings::color, "auto", "", "", off_auto_on, "",
       "colour the output; auto means on a terminal, unless NO_COLOR is set"},
  };
  // clang-format on
  return rows;
}

bool counts_bytes(const option& row) { return row.unit == "bytes"; }

template <class Number>
struct read_number {
  std::optional<Number> value;
  bool too_large = false;
};

// "256k" is 262144 where `binary_suffix` is allowed.
template <class Number>
read_number<Number> read(std::string_view text, bool binary_suffix) {
  unsigned shift = 0;
  if (binary_suffix && !text.empty()) {
    const auto at = std::string_view("kMG").find(text.back() == 'K' ? 'k' : text.back());
    if (at != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(at) + 1);
      text.remove_suffix(1);
    }
  }
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size() || text.empty()) return {};
  if (fault == std::errc::result_out_of_range) return {{}, true};
  if (fault != std::errc()) return {};
  if constexpr (std::is_integral_v<Number>) {
    if (shift && number > (~Number{0} >> shift)) return {{}, true};
    return {static_cast<Number>(number << shift)};
  } else {
    if (!std::isfinite(number)) return {};
    return {number};
  }
}

std::string listed(std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

// A value for an option, and its origin for messages.
struct given {
  const option& row;
  std::string value;
  std::string by;  // "flag --workers 4", "variable STRETTO_WORKERS=4"

  [[noreturn]] void not_of_type(std::string_view type) const {
    throw error("B12", fmt::format("option {} takes {}, and \"{}\" is not one", row.name, type, value))
        .fact("given by", by)
        .fact("allowed", allowed_of(row));
  }
  [[noreturn]] void out_of_range() const {
    throw error("B13", fmt::format("option {} cannot be {}", row.name, value))
        .fact("given by", by)
        .fact("allowed", allowed_of(row));
  }

  template <class Number>
  Number number(std::string_view type) const {
    const auto [number, too_large] = read<Number>(value, counts_bytes(row));
    if (too_large) out_of_range();
    if (!number) not_of_type(type);
    const auto bound = [&](std::string_view text) { return read<Number>(text, counts_bytes(row)).value; };
    if (!row.least.empty() && *number < *bound(row.least)) out_of_range();
    if (!row.most.empty() && *number > *bound(row.most)) out_of_range();
    return *number;
  }
  std::size_t choice() const {
    const auto found = std::ranges::find(row.choices, value);
    if (found == row.choices.end())
      throw error("B14", fmt::format("option {} cannot be \"{}\"", row.name, value))
          .fact("given by", by)
          .fact("allowed", allowed_of(row))
          .remedy(did_you_mean(value, row.choices));
    return static_cast<std::size_t>(found - row.choices.begin());
  }

  void put(std::uint64_t& into) const { into = number<std::uint64_t>(counts_bytes(row) ? "a size" : "a whole number"); }
  void put(double& into) const { into = number<double>("a number"); }
  void put(bool& into) const { into = choice() == 1; }
  void put(std::string& into) const { into = value; }
  template <class Enum>
  void put(Enum& into) const {
    into = static_cast<Enum>(choice());
  }

  void put_into(settings& values) const {
    std::visit([&](auto member) { put(values.*member); }, row.where);
  }
};

std::vector<std::string> all(std::string (*spelling)(const option&)) {
  std::vector<std::string> names;
  for (const auto& row : table()) names.push_back(spelling(row));
  return names;
}

const option* find(std::string_view name, std::string (*spelling)(const option&)) {
  for (const auto& row : table())
    if (spelling(row) == name) return &row;
  return nullptr;
}

constexpr std::string_view variable_prefix = "STRETTO_";

std::string variable_without_prefix(const option& row) {
  std::string name;
  for (const char c : row.name) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

std::string or_else(std::string suggestion, std::string otherwise) {
  return suggestion.empty() ? std::move(otherwise) : suggestion;
}

std::string spelt_size(std::uint64_t bytes) {
  int suffix = 0;
  while (suffix < 3 && bytes && bytes % 1024 == 0) bytes /= 1024, ++suffix;
  return fmt::format("{}{}", bytes, suffix ? std::string(1, "kMG"[suffix - 1]) : "");
}

}  // namespace

settings::settings() {
  for (const auto& row : table()) given{row, std::string(row.by_default), "default"}.put_into(*this);
}

std::span<const option> option_table() { return table(); }

std::string variable_of(const option& row) { return std::string(variable_prefix) + variable_without_prefix(row); }

std::string flag_of(const option& row) {
  std::string name = "--";
  for (const char c : row.name) name += c == '_' ? '-' : c;
  return name;
}

std::string allowed_of(const option& row) {
  if (!row.choices.empty()) return listed(row.choices);
  if (std::holds_alternative<std::string settings::*>(row.where)) return fmt::format("a {}", row.unit);
  const auto unit = row.unit.empty() ? std::string() : fmt::format(" {}", row.unit);
  if (row.most.empty()) return fmt::format("{} or more{}", row.least, unit);
  return fmt::format("{} to {}{}", row.least, row.most, unit);
}

std::string spelt(const option& row, const settings& values) {
  return std::visit(
      [&](auto member) -> std::string {
        const auto& value = values.*member;
        using type = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<type, std::string>) return value;
        else if constexpr (std::is_same_v<type, double>) return fmt::format("{}", value);
        else if constexpr (std::is_same_v<type, std::uint64_t>)
          return counts_bytes(row) ? spelt_size(value) : std::to_string(value);
        else return row.choices[static_cast<std::size_t>(value)];
      },
      row.where);
}

parsed_options parse_options(const environment& variables, std::span<const std::string> arguments,
                             foreign_arguments foreign, const settings& start) {
  parsed_options result{start, {}, {}, {}};
  const settings defaults;
  for (const auto& row : table())
    result.origin.push_back(spelt(row, start) == spelt(row, defaults) ? "default" : "program");
  const auto accept = [&](const given& one, const char* origin) {
    one.put_into(result.values);
    result.origin[static_cast<std::size_t>(&one.row - table().data())] = origin;
  };

  for (const auto& [name, value] : variables) {
    if (!name.starts_with(variable_prefix) || name.starts_with("STRETTO_TEST_") || value.empty()) continue;
    const auto* row = find(name, variable_of);
    if (!row) {
      // Compared without the prefix, which makes every two of them alike. Variables that resemble none of ours belong
      // to others: STRETTO_ROOT.
      const auto near = nearest_name(name.substr(variable_prefix.size()), all(variable_without_prefix));
      const auto told = fmt::format("the environment variable {} is not an option of Stretto and is ignored", name);
      if (near)
        result.misspelt.push_back(
            error("B10", told).remedy(fmt::format("did you mean \"{}{}\"?", variable_prefix, *near)));
      continue;
    }
    accept({*row, value, fmt::format("variable {}={}", name, value)}, "environment");
  }

  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const auto* row = find(name, flag_of);
    if (!row && foreign == foreign_arguments::keep) {
      const bool the_rest = argument == "--";
      const auto until = the_rest ? arguments.size() : i + 1;
      result.rest.insert(result.rest.end(), arguments.begin() + i, arguments.begin() + until);
      if (the_rest) break;
      continue;
    }
    if (!row)
      throw error("B11", fmt::format("\"{}\" is not a flag of Stretto", argument))
          .remedy(or_else(did_you_mean(name, all(flag_of)), "`stretto options` lists the flags"));
    if (equals == std::string::npos && i + 1 == arguments.size())
      throw error("B15", fmt::format("the flag {} needs a value", name))
          .fact("allowed", allowed_of(*row))
          .remedy(fmt::format("{} {}", name, row->by_default.empty() ? "FILE" : row->by_default));
    const std::string value = equals == std::string::npos ? arguments[++i] : argument.substr(equals + 1);
    accept({*row, value, fmt::format("flag {} {}", name, value)}, "flag");
  }
  return result;
}

environment stretto_environment() {
  environment ours;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (text.starts_with("STRETTO_") && equals != text.npos)
      ours.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return ours;
}

namespace {

/// They are read where programs of `stretto cc` start, and set by `stretto run`.
constexpr std::string_view variables_of_ranks = R"(
## Variables of MPI programs

A [program that `stretto cc` made](mpi-programs.md) reads these when it starts.

| variable | flag of `stretto run` | meaning |
|---|---|---|
| `STRETTO_RANKS` | `--ranks` | number of ranks on all nodes together; by default as many as cores, or as accelerators for OpenACC |
| `STRETTO_RANKS_PER_NODE` | `--ranks-per-node` | number of ranks of each node |
| `STRETTO_RANKS_MAP` | `--map` | `slot`, `core`, `numa` or `node`: [how ranks are placed](mpi-programs.md#placement) |
| `STRETTO_RANKS_WANDER` | `--ranks-wander` | 1: idle workers take ranks of others; by default each stays on one |
| `STRETTO_RANKS_SPARE` | `--ranks-spare` | threads that run ranks while others block workers in system calls |
| `STRETTO_RANKS_LABEL` | `--label` | 1: each line of output begins with its rank |
| `STRETTO_ACC_DISCRETE` | - | 1: [regions of OpenACC](openacc-programs.md#the-device-and-its-memory) have memory of their own |
| `STRETTO_ACC_SHARE_HEAP` | - | 0: messages with [readonly](openacc-programs.md#shared-blocks) are copied |
| `STRETTO_ACC_DEVICE_TYPE` | - | kinds of [accelerators](openacc-programs.md#ranks-and-their-devices), such as `cuda,host`: each rank has one |
| `STRETTO_ACC_NEAR` | - | 0: [ranks](openacc-programs.md#ranks-and-their-devices) run on any worker, not on one near their device |
| `STRETTO_ACC_DIRECT` | - | 0: messages from device to device go by way of the host's memory, for comparisons |
| `STRETTO_ACC_QUEUES` | - | 0: operations with `async` are done when the program goes on, for comparisons |
)";

}  // namespace

std::string options_page() {
  std::string page = R"(# Options

<!-- Written by `stretto options --markdown`; a test compares the two. -->

Every option is an environment variable and a flag of every `stretto` command. A flag overrides the environment. A
value that a program sets in `runtime_options` overrides both. An unknown flag and a value out of range are errors. A
variable without a value counts as not set. A variable whose name is almost that of an option is ignored with a warning
([B10](../errors/B10.md)). Stretto ignores all other names that begin with STRETTO_. `stretto options` shows the values
in force and their origin.
)";
  for (const auto& row : table())
    page += fmt::format(
        "\n## {}\n\n"
        "{}.\n\n"
        "- variable `{}`, flag `{}`\n"
        "- allowed: {}\n"
        "- default: {}\n"
        "{}",
        row.name, row.help, variable_of(row), flag_of(row), allowed_of(row),
        row.by_default.empty() ? "none" : fmt::format("`{}`", row.by_default),
        row.between == agreement::all_nodes ? "- all nodes of a job must have the same value; otherwise the job ends "
                                              "with error [N15](../errors/N15.md)\n"
                                            : "");
  page += variables_of_ranks;
  return page;
}

}  // namespace stretto::base
