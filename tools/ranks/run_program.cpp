// run_program.cpp - a node of a job of ranks: reads its environment, joins the job, loads the ranks of this node and
// runs each in a task.
#include "ranks/run_program.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stretto/error.hpp>
#include <stretto/stretto.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "acc/accelerator_choice.hpp"
#include "acc/node_accelerators.hpp"
#include "api/process_endpoint.hpp"
#include "base/context.hpp"
#include "base/error_output.hpp"
#include "base/nearest_name.hpp"
#include "base/options.hpp"
#include "net/mpi/job_mark.hpp"
#include "net/mpi/mpi_library.hpp"
#include "ranks/binding/usage_check.hpp"
#include "ranks/nodes/job_of_ranks.hpp"
#include "ranks/process/domain_binding.hpp"
#include "ranks/process/message_exchange.hpp"
#include "ranks/process/rank.hpp"
#include "ranks/process/rank_output.hpp"
#include "ranks/process/rank_placement.hpp"
#include "ranks/process/thread_creation.hpp"
#include "ranks/process/traced_messages.hpp"
#include "ranks/process/usage_report.hpp"
#include "ranks/program/crash_report.hpp"

namespace stretto::ranks {
namespace {

/// The number of ranks in an environment variable; 0 if it is not set.
int count_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (!text || !*text) return 0;
  char* end = nullptr;
  const long count = std::strtol(text, &end, 10);
  if (*end || count < 1 || count > 1'000'000)
    throw error("R89", fmt::format("{} is \"{}\"", variable, text))
        .because("it is the number of ranks, from 1 to 1000000")
        .remedy("set it to a number, or leave it out: then there are as many ranks as cores");
  return static_cast<int>(count);
}

bool is_set(const char* variable) {
  const char* const text = std::getenv(variable);
  return text && *text && std::string(text) != "0";
}

/// STRETTO_RANKS_LABEL=1: each line of output begins with the number of its rank.
bool has_labels() { return is_set("STRETTO_RANKS_LABEL"); }

/// STRETTO_RANKS_SPARE: how many spare threads run ranks in place of workers that other ranks block in system calls.
std::uint32_t spare_workers() {
  constexpr long most = 1000;
  const char* const text = std::getenv("STRETTO_RANKS_SPARE");
  if (!text || !*text) return 0;
  char* end = nullptr;
  const long count = std::strtol(text, &end, 10);
  if (!*end && count >= 0 && count <= most) return static_cast<std::uint32_t>(count);
  throw error("R89", fmt::format("STRETTO_RANKS_SPARE is \"{}\"", text))
      .because(fmt::format("it is the number of spare threads, from 0 to {}", most))
      .remedy("set it to the number of ranks that may block at the same time");
}

/// Whether ranks wander: any free worker runs them, instead of each rank being bound to one. They do so with
/// STRETTO_RANKS_WANDER=1 and with spare threads. Throws R96 if a rank of the program must stay on one thread.
bool do_ranks_wander(const program_image& image) {
  const bool has_spares = spare_workers() > 0;
  if (!has_spares && !is_set("STRETTO_RANKS_WANDER")) return false;
  const std::string reason = image.reason_to_stay();
  if (reason.empty()) return true;
  throw error("R96", fmt::format("the ranks of \"{}\" cannot {}", image.path().string(),
                                 has_spares ? "move to spare threads" : "wander from worker to worker"))
      .because(reason)
      .remedy(fmt::format(
          "leave out {}: then each rank stays on one worker",
          has_spares ? "--ranks-spare and STRETTO_RANKS_SPARE" : "--ranks-wander and STRETTO_RANKS_WANDER"));
}

rank_placement placement_of_ranks() {
  const std::string text = base::stretto_environment()["STRETTO_RANKS_MAP"];
  if (text.empty()) return {};
  if (const auto found = placement_named(text)) return *found;
  throw error("R95", fmt::format("STRETTO_RANKS_MAP is \"{}\"", text))
      .because("consecutive ranks share a worker (slot) or are on the next worker (core), domain (numa) or node (node)")
      .remedy(
          base::did_you_mean(text, std::vector<std::string>(std::begin(placement_names), std::end(placement_names))));
}

/// A rank has started this process: it is no node of that rank's job.
bool is_child_of_rank() { return std::getenv("STRETTO_RANK") != nullptr; }

/// As many ranks as the user wants; else, if the program has regions of OpenACC, as many as accelerators.
job_shape shape_of_job(const program_image& image) {
  if (is_child_of_rank()) return {1, 0, rank_order::blocks};
  job_shape shape{count_in("STRETTO_RANKS"), count_in("STRETTO_RANKS_PER_NODE"), placement_of_ranks().on_nodes};
  shape.is_by_accelerators = !shape.ranks && !shape.ranks_of_node && image.has_regions();
  return shape;
}

/// The ranks of this process if it is the only node: as many as the user wants, or else one for each core.
rank_map map_of_one_node(const job_shape& shape) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return {shape.ranks ? shape.ranks : shape.ranks_of_node ? shape.ranks_of_node : cores, 1};
}

/// Throws O17 if no node has an accelerator.
rank_map map_by_accelerators(runtime& here, job_of_ranks* job) {
  rank_map map(0, 1);
  here.run([&] {
    const int own = static_cast<int>(acc::count_accelerators());
    map = job ? job->map_by_accelerators(own) : rank_map(own, 1);
  });
  if (map.ranks() == 0) throw acc::no_accelerator(job ? "no node of the job" : "the node", acc::kinds_in_environment());
  return map;
}

rank_map map_of_ranks(runtime& here, job_of_ranks* job, const job_shape& shape) {
  if (shape.is_by_accelerators) return map_by_accelerators(here, job);
  return job ? job->map() : map_of_one_node(shape);
}

/// Called when another node ends the job or has failed. `message` is empty if another node prints one.
void end_process(int code, const std::string& message) {
  std::fflush(nullptr);
  std::fputs(message.c_str(), stderr);
  if (!message.empty()) net::mpi::mark_job(net::mpi::job_mark::reported);
  std::_Exit(code);
}

/// This node's part in the job that a launcher has started; null if this process is the only node.
std::shared_ptr<job_of_ranks> job_of_process(const job_shape& shape) {
  const auto options = base::parse_options(base::stretto_environment(), {});
  auto by = endpoint_of_process(options.values);
  return by ? std::make_shared<job_of_ranks>(std::move(by), shape, end_process) : nullptr;
}

rank_start start_of(int number, int count, int argc, char** argv) {
  rank_start start{fmt::format("rank {}", number), {argv, argv + argc}, {}};
  if (has_labels()) start.label = fmt::format("[{}] ", number);
  start.has_input = number == 0;
  for (char** entry = environ; *entry; ++entry) start.environment.emplace_back(*entry);
  start.environment.push_back(fmt::format("STRETTO_RANK={}", number));
  start.environment.push_back(fmt::format("STRETTO_RANK_COUNT={}", count));
  return start;
}

/// A rank's stack is that of a program: the usual 8 MiB, of which only what is touched takes memory.
constexpr std::uint64_t stack_of_rank = 8 << 20;

unsigned cores_of_node() { return std::max(1u, std::thread::hardware_concurrency()); }

/// The most ranks that this node may have: how many it has is known once the job has started. A rank with an
/// accelerator is expected to have a core.
unsigned ranks_of_node(bool is_in_job, const job_shape& shape) {
  if (shape.is_by_accelerators) return cores_of_node();
  if (!is_in_job) return static_cast<unsigned>(map_of_one_node(shape).ranks());
  const int nodes = std::max(1, static_cast<int>(net::mpi::detect_launch_environment().launched));
  return static_cast<unsigned>(shape.ranks ? (shape.ranks + nodes - 1) / nodes : std::max(1, shape.ranks_of_node));
}

/// As many as the user wants; 0: the user leaves that to us. `stretto run` shares the cores of a host among its nodes:
/// it then sets STRETTO_WORKERS, and STRETTO_SHARED_CORES to mark that the user has not chosen the number.
unsigned wanted_workers() {
  if (is_set("STRETTO_SHARED_CORES")) return 0;
  return static_cast<unsigned>(base::parse_options(base::stretto_environment(), {}).values.workers);
}

/// A rank that waits for its own threads (pthread_join, the end of a parallel region) blocks its worker. So each rank
/// of a program with threads has a worker, and one more worker runs the tasks that these threads wait for. With fewer
/// workers they might wait for ever.
runtime_options options_for(const std::shared_ptr<job_of_ranks>& job, const job_shape& shape,
                            const program_image& image) {
  runtime_options options;
  options.job = job;
  const unsigned ranks = ranks_of_node(job != nullptr, shape);
  if (wanted_workers() == 0 && image.starts_threads()) options.workers = ranks + 1;
  else if (!is_set("STRETTO_WORKERS"))
    options.workers = image.has_regions() ? cores_of_node() : std::min(cores_of_node(), ranks);
  if (!std::getenv("STRETTO_STACK_SIZE")) options.stack_bytes = stack_of_rank;
  if (const acc::accelerator_kinds kinds(acc::kinds_in_environment());
      image.has_regions() && !kinds.text().empty() && !std::getenv("STRETTO_DEVICES"))
    options.devices = kinds.devices_option();
  options.spare_workers = spare_workers();
  return options;
}

/// At the end of its scope, before the runtime ends: threads of programs can no longer call MPI.
struct end_of_threads {
  rank_threads& all;
  ~end_of_threads() { all.end(); }
};

using rank_list = std::vector<std::unique_ptr<rank>>;

/// Which worker runs each rank of the node. With several NUMA domains, the main thread is bound to the domain of that
/// worker while it loads the rank, so that the rank's data lies there.
class worker_choice {
 public:
  /// near: the workers near the device of each rank
  worker_choice(const platform& machine, const std::vector<std::vector<std::uint32_t>>& near)
      : binding_(machine),
        workers_(workers_near_devices(workers_of_ranks(placement_of_ranks().on_workers,
                                                       static_cast<std::uint32_t>(near.size()), binding_.domains()),
                                      near)) {}

  std::uint32_t worker_of(std::size_t rank) const { return workers_[rank]; }
  void bind_thread_for(std::size_t rank) const { binding_.bind_thread(workers_[rank]); }

 private:
  const domain_binding binding_;
  const std::vector<std::uint32_t> workers_;
};

/// The workers near the accelerators of so many ranks of this node; none for a rank without a device.
std::vector<std::vector<std::uint32_t>> workers_near_accelerators(runtime& here, std::size_t ranks,
                                                                  const program_image& image) {
  std::vector<std::vector<std::uint32_t>> all(ranks);
  if (!image.has_regions() || acc::kinds_in_environment().empty() || !acc::is_switched_on("STRETTO_ACC_NEAR"))
    return all;
  here.run([&] {
    for (std::size_t r = 0; r < ranks; ++r) all[r] = workers_on(here.machine(), acc::processors_near_accelerator(r));
  });
  return all;
}

/// `choice` is null if ranks wander.
rank_list load_ranks(node_ranks& node, int number, const std::shared_ptr<const program_image>& image, int argc,
                     char** argv, const worker_choice* choice) {
  const kept_processors kept;
  rank_list ranks;
  for (const world_rank of_world : node.map().ranks_of(number)) {
    const int world = static_cast<int>(of_world);
    if (choice) choice->bind_thread_for(ranks.size());
    auto one = std::make_unique<rank>(node, of_world, image, start_of(world, node.size(), argc, argv));
    one->mpi().exchanges = std::make_unique<message_exchanges>(*one);
    ranks.push_back(std::move(one));
  }
  return ranks;
}

void start(const rank_list& ranks, const worker_choice& choice) {
  for (std::size_t i = 0; i < ranks.size(); ++i)
    async(on(worker(choice.worker_of(i))), name(ranks[i]->copy().start().name), [&rank = *ranks[i], &choice, i] {
      choice.bind_thread_for(i);
      rank.run();
    });
}

/// Starts the ranks from a task of a worker. If the body of runtime::run started them, it could run one on its own
/// stack while it waits, and that rank could not leave the body's thread.
void start_wandering(const rank_list& ranks) {
  async(on(worker(0)), name("start of ranks"), [&ranks] {
    for (const auto& one : ranks) async(name(one->copy().start().name), [&rank = *one] { rank.run(); });
  });
}

/// Runs all ranks to their end. `choice` is null if they wander.
void run_ranks(runtime& here, node_ranks& node, job_of_ranks* job, const rank_list& ranks,
               const worker_choice* choice) {
  const end_of_threads at_the_end{node.threads()};
  here.run([&] {
    if (base::current()->every_span) usage_observer::install(traced_messages());
    node.files().attach();
    usage_check::start();  // other nodes report their calls as soon as they have begun
    if (job) job->wait_for_others();
    if (choice) start(ranks, *choice);
    else start_wandering(ranks);
  });
  if (job) job->close();
}

/// Threads of programs run on, so nothing that they use may be destroyed. But the MPI that connects nodes must end:
/// else its launcher takes the end of this process for a failure.
[[noreturn]] void leave_process(int code, bool is_in_job) {
  std::fflush(nullptr);
  void* const found = is_in_job ? ::dlsym(::dlopen(nullptr, RTLD_LAZY), "MPI_Finalize") : nullptr;
  if (found) reinterpret_cast<int (*)()>(found)();
  std::_Exit(code);
}

/// The code of the lowest rank whose code is not 0; else 1 if checks have reported errors of the program.
int exit_code(const rank_list& ranks) {
  for (const auto& one : ranks)
    if (one->end().code != 0) return one->end().code;
  return has_usage_errors() ? 1 : 0;
}

void report(const std::exception& e) {
  base::print_error(e, base::error_form_of(base::stretto_environment(), {}));
  net::mpi::mark_job(net::mpi::job_mark::reported);
}

}  // namespace

int run_program(const char* file, int argc, char** argv) {
  const auto image = std::make_shared<const program_image>(file);
  install_crash_reports();  // ahead of the runtime, whose handlers call these
  if (is_child_of_rank()) ::setenv("STRETTO_JOB", "alone", 1);
  const bool wanders = do_ranks_wander(*image);
  const job_shape shape = shape_of_job(*image);
  const auto job = job_of_process(shape);
  std::optional<node_ranks> node;
  rank_list ranks;
  {
    runtime here(options_for(job, shape, *image));
    node.emplace(map_of_ranks(here, job.get(), shape));
    node->set_workers(static_cast<int>(here.workers()));
    const int number = job ? static_cast<int>(here.node()) : 0;
    std::optional<worker_choice> choice;
    if (!wanders)
      choice.emplace(here.machine(), workers_near_accelerators(here, node->map().ranks_of(number).size(), *image));
    try {
      ranks = load_ranks(*node, number, image, argc, argv, choice ? &*choice : nullptr);
    } catch (const std::exception& e) {
      if (!job) throw;
      report(e);  // the other nodes wait for this one
      std::_Exit(1);
    }
    if (wanders) std::ranges::for_each(ranks, &rank::let_wander, [](const auto& one) -> rank& { return *one; });
    if (job) job->connect(*node);
    use_rank_threads();
    const rank_output output;
    run_ranks(here, *node, job.get(), ranks, choice ? &*choice : nullptr);
  }
  const int code = exit_code(ranks);
  if (node->threads().is_any_running()) leave_process(code, job != nullptr);
  return code;
}

}  // namespace stretto::ranks

int stretto_create_thread(stretto::ranks::thread_creator create, pthread_t* made, const pthread_attr_t* attributes,
                          stretto::ranks::thread_function start, void* argument) {
  return stretto::ranks::create_thread(create, made, attributes, start, argument);
}

const char* stretto_program_of_thread() {
  const auto* const identity = stretto::ranks::identity_of_thread();
  return identity && identity->copy ? identity->copy->image().program().file().path().c_str() : nullptr;
}

int stretto_run_program(const char* file, int argc, char** argv) {
  stretto::net::mpi::mark_job(stretto::net::mpi::job_mark::of_ranks);
  try {
    return stretto::ranks::run_program(file, argc, argv);
  } catch (const std::exception& e) {
    stretto::ranks::report(e);
    return 1;
  }
}
