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
       "threads that run tasks; 0 means one per core"},
      {"stack_size", &settings::stack_size, "256k", "16k", "1G", {}, "bytes",
       "stack of a task that suspends"},
      {"max_suspended", &settings::max_suspended, "60000", "1", "100000000", {}, "tasks",
       "tasks that may be suspended at once; each holds a stack and two memory mappings"},
      {"high_water", &settings::high_water, "8192", "1", "1000000000", {}, "tasks",
       "tasks waiting to run before a task that spawns more runs its own in place"},
      {"spin_us", &settings::spin_us, "50", "0", "1000000", {}, "microseconds",
       "how long a worker looks for work before it sleeps; in a job of several processes up to 1000, with CUDA "
       "devices up to 2000, if it lately had to wait for less"},
      {"seed", &settings::seed, "0", "0", "", {}, "",
       "start of every random choice; a runtime that is stepped replays it exactly"},
      {"poll_us", &settings::poll_us, "200", "10", "1000000", {}, "microseconds",
       "longest pause between two polls for pending operations while no worker is idle"},
      {"stuck", &settings::stuck, "0", "0", "1000000", {}, "seconds",
       "time without progress before it is told who waits for what; 0 means never; if not set 10, and off a terminal "
       "only proven hangs",
       agreement::all_nodes},
      {"stuck_file", &settings::stuck_file, "", "", "", {}, "path",
       "file that keeps the last report of who waits for what, for `stretto why`"},
      {"check", &settings::check, is_debug_build() ? "1" : "0", "", "", {"0", "1", "learn"}, "",
       "whether races, reads of what nothing wrote and indices outside of arrays are found; a debug build does it if "
       "not set; "
       "learn tells which mappers kernels on buffers should have been launched with"},
      {"platform", &settings::platform, "", "", "", {}, "path",
       "platform file to use in place of what is discovered"},
      {"devices", &settings::devices, "none", "", "", {}, "list",
       "devices that the program uses: all, none, or kinds of them such as cuda,opencl or sim:4(shared_bus)"},
      {"deal_devices", &settings::deal_devices, "1", "", "", zero_or_one, "",
       "whether processes that one launcher started on a host deal its devices of CUDA and OpenCL among them, and "
       "part the memory of those that "
       "several use, rather than each opening all",
       agreement::all_nodes},
      {"device_memory", &settings::device_memory, "0", "0", "", {}, "bytes",
       "how much of each device's memory is taken; 0 means as much as is sensible"},
      {"device_host_memory", &settings::device_host_memory, "0", "0", "", {}, "bytes",
       "memory of the host that kernels of each device use in place, as a memory of its own; 0 means none"},
      {"device_streams", &settings::device_streams, "5", "1", "64", {}, "",
       "kernels of one device that may run side by side"},
      {"device_threads", &settings::device_threads, "0", "", "", zero_or_one, "",
       "whether each device is asked for what has ended by a thread of its own, rather than by idle workers"},
      {"locked_memory", &settings::locked_memory, "1G", "0", "", {}, "bytes",
       "most of each memory of the host that is page-locked for devices that copy faster then, as it comes into use; "
       "0 means none"},
      {"device_messages", &settings::device_messages, "1", "", "", zero_or_one, "",
       "whether elements in memory of devices go to other nodes and come from there in place, where the MPI or the "
       "devices can, rather than by way of the host"},
      {"host_memory", &settings::host_memory, "0", "0", "", {}, "bytes",
       "most that instances and objects take of each memory of the host; 0 means what the machine has"},
      {"spill", &settings::spill, "", "", "", {}, "path",
       "folder whose disk takes the content of objects that the host's memory has no room for; empty means none"},
      {"device_copy_streams", &settings::device_copy_streams, "1", "", "", zero_or_one, "",
       "whether copies to and from a device go in streams of their own, beside its kernels"},
      {"device_pool", &settings::device_pool, "1", "", "", zero_or_one, "",
       "whether a device's memory is taken once and parted among instances, rather than by its driver for each"},
      {"recycle", &settings::recycle, "1", "", "", zero_or_one, "",
       "whether records of launches, of objects and of operations on data serve again, rather than coming from the "
       "system each time"},
      {"kept_heap", &settings::kept_heap, "64M", "0", "", {}, "bytes",
       "most that the program's heap keeps of what was freed, to give it out again without a page fault for each "
       "page, rather than return it to the system; "
       "0 leaves the heap as it is"},
      {"scheduler", &settings::scheduler, "earliest_finish", "", "",
       {"fifo", "locality", "earliest_finish", "work_stealing"}, "",
       "who decides which device computes a launch on objects"},
      {"speeds", &settings::speeds, "", "", "", {}, "path",
       "file that keeps measured speeds of kernels between runs; empty means in the user's cache, none means nowhere"},
      {"prefetch", &settings::prefetch, "4", "1", "1000", {}, "",
       "launches on objects that a place is given ahead of time where there is a choice of places"},
      {"job", &settings::job, "auto", "", "", {"auto", "alone", "mpi"}, "",
       "whether the process is a node of a job: auto means if a launcher started several"},
      {"mpi_threads", &settings::mpi_threads, "auto", "", "", {"auto", "funneled", "serialized", "multiple"}, "",
       "which threads may call MPI, where the runtime starts it: worker 0 alone, any one at a time, or any at any "
       "time; "
       "auto means any at any time where the program itself is linked with an MPI, and any one at a time otherwise"},
      {"global_memory", &settings::global_memory, "0", "0", "64G", {}, "bytes",
       "what each node gives to the memory that every node of a job reads and writes by itself, taken as it is used; "
       "0 means there is none",
       agreement::all_nodes},
      {"message_memory", &settings::message_memory, "256M", "64K", "", {}, "bytes",
       "most that messages take of a node's memory where they are sent, and where they wait to begin, before those "
       "who send wait"},
      {"largest_message", &settings::largest_message, "0", "0", "", {}, "bytes",
       "most that a node takes as one message, other than elements of arrays; 0 means what the machine has free",
       agreement::all_nodes},
      {"lane_memory", &settings::lane_memory, "16M", "0", "64G", {}, "bytes",
       "what a process shares with others of its host, through which large messages go to them, taken as it is used; "
       "0 leaves them to MPI"},
      {"mpi_folder", &settings::mpi_folder, "", "", "", {}, "path",
       "folder with Stretto's library for each MPI; empty means where Stretto is installed, or was built"},
      {"balance", &settings::balance, "none", "", "", {"none", "greedy", "refine", "diffusion", "stealing"}, "",
       "who decides which mobile objects move to which node, now and then, by what their handlers have taken",
       agreement::all_nodes},
      {"balance_ms", &settings::balance_ms, "500", "1", "1000000", {}, "milliseconds",
       "pause between two rounds of balancing, where the option balance asks for them"},
      {"weights", &settings::weights, "devices", "", "", {"off", "devices", "nodes"}, "",
       "who gets shares of launches on buffers by measured speed: the devices of each node, or nodes, too; "
       "a runtime that is stepped measures nothing"},
      {"compare_nodes", &settings::compare_nodes, "1", "", "", zero_or_one, "",
       "whether the nodes of a job find out where their programs ask different things of buffers, and end with error "
       "B23",
       agreement::all_nodes},
      {"horizon_step", &settings::horizon_step, "4", "0", "1000000000", {}, "launches",
       "launches on buffers that follow one another until a horizon is made; 0 means none for that",
       agreement::all_nodes},
      {"horizon_breadth", &settings::horizon_breadth, "256", "0", "1000000000", {}, "launches",
       "launches on buffers that none follows yet until a horizon is made; 2 or more, and 0 means none for that",
       agreement::all_nodes},
      {"pipeline", &settings::pipeline, "auto", "", "", off_auto_on, "",
       "whether a task of the runtime finds what to do for a launch on buffers, while the program goes on, if the "
       "launch cannot be refused any "
       "more; auto means where that takes longer than handing over and a worker is free"},
      {"trace", &settings::trace, "", "", "", {}, "path",
       "file that receives the trace at the end, for Perfetto or chrome://tracing"},
      {"trace_level", &settings::trace_level, "sampled", "", "", {"off", "sampled", "full"}, "",
       "what the trace keeps: sampled counts very short tasks and times some of them"},
      {"graph", &settings::graph, "", "", "", {}, "path",
       "file that receives the graph of what was asked of buffers at the end; it ends in .dot, .json or .svg"},
      {"graph_kind", &settings::graph_kind, "commands", "", "",
       {"tasks", "commands", "instructions", "timeline", "prediction"}, "",
       "what that graph shows: launches, what the node does of them, each operation of that, when these are predicted "
       "to take place, or only "
       "how long all would take"},
      {"dry_nodes", &settings::dry_nodes, "0", "0", "65536", {}, "nodes",
       "job of so many nodes as one of which the program runs alone, finding what it would do on buffers and doing "
       "none of it; 0 means that "
       "it is done"},
      {"dry_node", &settings::dry_node, "0", "", "", {}, "list",
       "nodes of a dry run whose work is found, such as 0,2-4 or all; the program runs as the first of them"},
      {"dry_devices", &settings::dry_devices, "0", "0", "63", {}, "devices",
       "devices that each node of a dry run has; 0 means those that the option devices opens"},
      {"graph_costs", &settings::graph_costs, "", "", "", {}, "list",
       "costs by which a timeline is predicted, where they are not the usual ones: "
       "task=2e-6,launch=5e-6,items=1e9,copy_latency=5e-6,copy_bytes=1e10,"
       "message_latency=2e-6,message_bytes=1e10"},
      {"statistics", &settings::statistics, "0", "", "", zero_or_one, "",
       "whether what was counted per module and per place is printed at the end"},
      {"live", &settings::live, "0", "", "", zero_or_one, "",
       "whether `stretto top` lists the program from its start, rather than once it has been asked for by number"},
      {"log", &settings::log, "warn", "", "", {"off", "error", "warn", "info", "debug"}, "",
       "how much a runtime says about its work"},
      {"errors", &settings::errors, "text", "", "", {"text", "json"}, "",
       "how errors are printed; json is one object per line, with the same fields"},
      {"progress", &settings::progress, "auto", "", "", off_auto_on, "",
       "whether long work shows a progress line; auto means on a terminal"},
      {"color", &settings::color, "auto", "", "", off_auto_on, "",
       "whether output is coloured; auto means on a terminal, unless NO_COLOR is set"},
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

// One value on its way into a row: who gave it, for the messages.
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
      const auto told = fmt::format("the environment variable {} is no option of Stretto, and is ignored", name);
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
      throw error("B11", fmt::format("\"{}\" is no flag of Stretto", argument))
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

std::string options_page() {
  std::string page =
      "# Options\n\n"
      "<!-- Written by `stretto options --markdown`; a test compares the two. -->\n\n"
      "Every option is an environment variable and a flag of every `stretto` command and of every program that\n"
      "hands its arguments to the runtime. A flag wins over the environment, the environment over what the program\n"
      "asks for itself. A value out of range is an error, and so is a misspelt flag. A variable without a value counts "
      "as\n"
      "not set; one whose name is almost an option's is ignored with a warning ([B10](../errors/B10.md)), and other "
      "names\n"
      "that begin with STRETTO_ are left to whoever uses them. `stretto options` shows the values in force and where "
      "each\n"
      "comes from.\n";
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
        row.between == agreement::all_nodes
            ? "- the same on all nodes of a job; else they end with error [N15](../errors/N15.md)\n"
            : "");
  return page;
}

}  // namespace stretto::base
