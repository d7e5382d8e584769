#include "ranks/run_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stretto/error.hpp>
#include <stretto/stretto.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error_output.hpp"
#include "ranks/process/message_exchange.hpp"
#include "ranks/process/rank.hpp"
#include "ranks/process/rank_output.hpp"
#include "ranks/process/thread_creation.hpp"
#include "ranks/process/usage_report.hpp"
#include "ranks/program/crash_report.hpp"

namespace stretto::ranks {
namespace {

int rank_count() {
  const char* const text = std::getenv("STRETTO_RANKS");
  if (!text || !*text) return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  char* end = nullptr;
  const long count = std::strtol(text, &end, 10);
  if (*end || count < 1 || count > 1'000'000)
    throw error("R89", fmt::format("STRETTO_RANKS is \"{}\"", text))
        .because("it is the number of ranks, from 1 to 1000000")
        .remedy("set it to a number, or leave it out: then there are as many ranks as cores");
  return static_cast<int>(count);
}

/// STRETTO_RANKS_LABEL=1: each line of output begins with the number of its rank.
bool has_labels() {
  const char* const text = std::getenv("STRETTO_RANKS_LABEL");
  return text && *text && std::string(text) != "0";
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

/// A rank that waits for its own threads (pthread_join, the end of a parallel region) blocks its worker: so the ranks
/// of programs with threads have a worker each, and one more runs what tasks of theirs wait for.
runtime_options options_for(int ranks, const program_image& image) {
  runtime_options options;
  if (!std::getenv("STRETTO_WORKERS")) {
    const auto cores = std::max(1u, std::thread::hardware_concurrency());
    options.workers = image.starts_threads() ? static_cast<unsigned>(ranks) + 1 : std::min(cores, unsigned(ranks));
  }
  if (!std::getenv("STRETTO_STACK_SIZE")) options.stack_bytes = stack_of_rank;
  return options;
}

/// Lets no thread of a program into the runtime any more, before that ends.
struct end_of_threads {
  rank_threads& all;
  ~end_of_threads() { all.end(); }
};

void run_ranks(node_ranks& node, const std::vector<std::unique_ptr<rank>>& ranks) {
  runtime here(options_for(static_cast<int>(ranks.size()), ranks[0]->copy().image()));
  const end_of_threads at_the_end{node.threads()};
  node.set_workers(static_cast<int>(here.workers()));
  here.run([&] {
    node.files().attach();
    for (const auto& one : ranks)
      async(on(worker(static_cast<std::uint32_t>(one->number()) % here.workers())), name(one->copy().start().name),
            [&rank = *one] { rank.run(); });
  });
}

/// Threads of programs run on, so nothing that they use may be destroyed.
[[noreturn]] void leave_process(int code) {
  std::fflush(nullptr);
  std::_Exit(code);
}

int exit_code(const std::vector<std::unique_ptr<rank>>& ranks) {
  for (const auto& one : ranks)
    if (one->end().code != 0) return one->end().code;
  return has_usage_errors() ? 1 : 0;
}

}  // namespace

int run_program(const char* file, int argc, char** argv) {
  const auto image = std::make_shared<const program_image>(file);
  const int count = rank_count();
  node_ranks node(count);
  std::vector<std::unique_ptr<rank>> ranks;
  for (int number = 0; number < count; ++number) {
    auto one = std::make_unique<rank>(node, world_rank{number}, image, start_of(number, count, argc, argv));
    one->mpi().exchanges = std::make_unique<message_exchanges>(*one);
    ranks.push_back(std::move(one));
  }
  install_crash_reports();
  use_rank_threads();
  const rank_output output;
  run_ranks(node, ranks);
  const int code = exit_code(ranks);
  if (node.threads().is_any_running()) leave_process(code);
  return code;
}

}  // namespace stretto::ranks

int stretto_create_thread(stretto::ranks::thread_creator create, pthread_t* made, const pthread_attr_t* attributes,
                          stretto::ranks::thread_function start, void* argument) {
  return stretto::ranks::create_thread(create, made, attributes, start, argument);
}

int stretto_run_program(const char* file, int argc, char** argv) {
  try {
    return stretto::ranks::run_program(file, argc, argv);
  } catch (const std::exception& e) {
    stretto::base::print_error(e, stretto::base::error_form_of(stretto::base::stretto_environment(), {}));
    return 1;
  }
}
