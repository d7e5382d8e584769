// options.hpp - every option of Stretto, one row of one table each; all spellings and texts come from it.
//
// Threads     the table is constant; parsing is pure: environment and arguments come in as values.
// Invariants  (1) an option stack_size is the variable STRETTO_STACK_SIZE and the flag --stack-size, always.
//             (2) a flag wins over the environment, the environment over `start`; of equals, the last.
//             (3) a misspelt flag or a value out of range is an error (B11 to B15); a misspelt variable is a warning
//             (B10).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <stretto/error.hpp>

#include "base/log.hpp"

namespace stretto::base {

enum class scheduler_policy { fifo, locality, earliest_finish, work_stealing };
enum class job_mode { automatic, alone, mpi };
enum class mpi_level { automatic, funneled, serialized, multiple };
enum class balance_mode { none, greedy, refine, diffusion, stealing };
enum class weight_mode { off, devices, nodes };
enum class graph_kind { tasks, commands, instructions, timeline, prediction };
enum class trace_detail { off, sampled, full };
enum class check_mode { off, on, learn };
/// How an error is printed: as text, or as one JSON object on one line.
enum class error_form { text, json };

/// The value of every option. A new one holds the defaults of the table, which says what each means.
struct settings {
  settings();

  std::uint64_t workers;
  std::uint64_t stack_size;  // bytes
  std::uint64_t max_suspended;
  std::uint64_t seed;
  double stuck;            // seconds
  std::string stuck_file;  // path or empty
  check_mode check;
  std::string platform;  // path or empty
  std::string devices;
  bool deal_devices;
  std::uint64_t device_memory;       // bytes
  std::uint64_t device_host_memory;  // bytes
  std::uint64_t device_streams;
  std::uint64_t locked_memory;  // bytes
  bool device_messages;
  std::uint64_t host_memory;  // bytes
  std::string spill;          // path or empty
  bool device_threads;
  std::uint64_t kept_heap;  // bytes
  scheduler_policy scheduler;
  std::string speeds;  // path, empty or "none"
  std::uint64_t prefetch;
  job_mode job;
  mpi_level mpi_threads;
  std::uint64_t global_memory;    // bytes
  std::uint64_t message_memory;   // bytes
  std::uint64_t largest_message;  // bytes
  std::uint64_t lane_memory;      // bytes
  std::string mpi_folder;         // path or empty
  balance_mode balance;
  weight_mode weights;
  bool compare_nodes;
  switch_mode pipeline;
  std::string trace;  // path or empty
  trace_detail trace_level;
  std::string graph;  // path or empty
  base::graph_kind graph_kind;
  std::string dry_nodes;    // job's size, or empty
  std::string graph_costs;  // list
  bool statistics;
  bool live;
  log_level log;
  error_form errors;
  switch_mode progress;
  switch_mode color;

  bool operator==(const settings&) const = default;
};

/// Where a row's value lives, which also is its type.
using field =
    std::variant<std::uint64_t settings::*, double settings::*, bool settings::*, std::string settings::*,
                 trace_detail settings::*, scheduler_policy settings::*, job_mode settings::*, mpi_level settings::*,
                 balance_mode settings::*, weight_mode settings::*, check_mode settings::*,
                 base::graph_kind settings::*, log_level settings::*, error_form settings::*, switch_mode settings::*>;

/// Which nodes of a job must have the same value.
enum class agreement : std::uint8_t { none, all_nodes };

struct option {
  std::string_view name;  // as in settings
  field where;
  std::string_view by_default;       // spelt as a user would
  std::string_view least, most;      // of numbers; empty where there is no bound
  std::vector<std::string> choices;  // of enumerations, in the order of the enumerators
  std::string_view unit;             // "bytes", "microseconds", ...; empty where a number counts things
  std::string_view help;             // what it does, in a phrase without a full stop
  agreement between = agreement::none;
};

/// The rows, in the order in which they are shown.
std::span<const option> option_table();
/// "STRETTO_STACK_SIZE".
std::string variable_of(const option& row);
/// "--stack-size".
std::string flag_of(const option& row);
/// "16k to 1G bytes", "off, sampled or full", "a path".
std::string allowed_of(const option& row);
/// The value as a user would spell it: "256k", "sampled".
std::string spelt(const option& row, const settings& values);

using environment = std::map<std::string, std::string>;

/// How to treat an argument that is not a flag of the table.
enum class foreign_arguments { keep, refuse };

struct parsed_options {
  settings values;
  std::vector<std::string> rest;    // arguments that are not ours, in their order
  std::vector<std::string> origin;  // per row of the table: "default", "environment", "flag" or "program"
  std::vector<error> misspelt;      // B10, of variables that are almost options: to be printed as warnings
};

/// Reads the STRETTO_* variables among `variables`, then the flags among `arguments` (without the program's
/// name), as `--flag value` or `--flag=value`, up to an argument `--`.
///
///   start    what the program asked for itself
///   foreign  keep: other arguments are returned in `rest`, `--` and what follows included;
///            refuse: they are errors
///   throws   B11 unknown flag, B12 not a value of the option's type, B13 out of
///            range, B14 unknown choice, B15 flag without a value
///
/// A variable without a value counts as not set. Other names that begin with STRETTO_ are left alone, unless one is
/// almost an option's; those that begin with STRETTO_TEST_ belong to the test suite (test_hook.hpp).
parsed_options parse_options(const environment& variables, std::span<const std::string> arguments,
                             foreign_arguments foreign = foreign_arguments::refuse, const settings& start = {});

/// The variables of this process whose names begin with STRETTO_. Not pure: reads `environ`.
environment stretto_environment();

/// The page docs/guide/options.md.
std::string options_page();

}  // namespace stretto::base
