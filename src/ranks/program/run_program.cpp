#include "ranks/program/run_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error_output.hpp"
#include "ranks/program/crash_report.hpp"
#include "ranks/program/program_copy.hpp"

namespace stretto::ranks {
namespace {

unsigned rank_count() {
  const char* const text = std::getenv("STRETTO_RANKS");
  const auto count = text ? std::strtoul(text, nullptr, 10) : 0;
  return count > 0 ? static_cast<unsigned>(count) : std::thread::hardware_concurrency();
}

rank_start start_of(unsigned rank, unsigned count, int argc, char** argv) {
  rank_start start{fmt::format("rank {}", rank), {argv, argv + argc}, {}};
  for (char** entry = environ; *entry; ++entry) start.environment.emplace_back(*entry);
  start.environment.push_back(fmt::format("STRETTO_RANK={}", rank));
  start.environment.push_back(fmt::format("STRETTO_RANK_COUNT={}", count));
  return start;
}

void run_rank(program_copy& copy, program_end& end) {
  use_alternate_stack();
  end = copy.run();
}

int exit_code(const std::vector<program_end>& ends) {
  for (const auto& one : ends)
    if (one.code != 0) return one.code;
  return 0;
}

}  // namespace

int run_program(const char* file, int argc, char** argv) {
  const auto image = std::make_shared<const program_image>(file);
  const auto count = rank_count();
  std::vector<std::unique_ptr<program_copy>> copies;
  for (unsigned rank = 0; rank < count; ++rank)
    copies.push_back(std::make_unique<program_copy>(image, start_of(rank, count, argc, argv)));
  install_crash_reports();
  std::vector<program_end> ends(count);
  {
    std::vector<std::jthread> threads;
    for (unsigned rank = 0; rank < count; ++rank)
      threads.emplace_back([&, rank] { run_rank(*copies[rank], ends[rank]); });
  }
  return exit_code(ends);
}

}  // namespace stretto::ranks

int stretto_run_program(const char* file, int argc, char** argv) {
  try {
    return stretto::ranks::run_program(file, argc, argv);
  } catch (const std::exception& e) {
    stretto::base::print_error(e, stretto::base::error_form_of(stretto::base::stretto_environment(), {}));
    return 1;
  }
}
