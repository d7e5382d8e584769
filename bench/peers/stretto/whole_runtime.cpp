// whole_runtime.cpp - Stretto: the fixed cost of a runtime, without its work.
//
// Threads     called by a thread of no runtime.

#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <thread>

#include "peers/stretto/benchmarks.hpp"

namespace {

stretto::runtime_options with(int workers) {
  stretto::runtime_options options;
  options.workers = static_cast<std::uint32_t>(workers);
  return options;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

long fib(long n) {
  if (n < 2) return n;
  auto first = stretto::async([n] { return fib(n - 1); });
  const long second = fib(n - 2);
  return first.get() + second;
}

void run_fib(stretto::runtime& runtime, long n, int times) {
  runtime.run([&] {
    for (int i = 0; i < times; ++i) bench::expect("fib", fib(n), bench::fib(n));
  });
}

}  // namespace

bool needs_no_runtime(const std::string& bench) {
  constexpr std::array own{"runtime_startup", "runtime_shutdown", "idle",           "two_runtimes", "recording_span",
                           "recording_share", "trace_write",      "report_seconds", "report_memory"};
  constexpr std::array about{"sim_", "device_", "beyond_", "graph_", "buffers_", "grants_", "passes_", "fan_levels"};
  const auto is_about = [&](std::string_view what) { return bench.starts_with(what); };  // these make runtimes
  return std::find(own.begin(), own.end(), bench) != own.end() || std::any_of(about.begin(), about.end(), is_about);
}

bench::outcome time_startup(const bench::options& o) {
  const bench::stopwatch clock;
  stretto::runtime runtime(with(o.workers));
  const double ms = clock.seconds() * 1e3;
  long ran = 0;
  runtime.run([&] { ++ran; });
  bench::expect("number of runs", ran, 1);
  return {ms};
}

bench::outcome time_shutdown(const bench::options& o) {
  std::optional<stretto::runtime> runtime(std::in_place, with(o.workers));
  runtime->run([] { stretto::async([] {}).get(); });
  const bench::stopwatch clock;
  runtime.reset();
  return {clock.seconds() * 1e3};
}

// Processor time of this process while its runtime has been left alone for `size` milliseconds.
bench::outcome measure_idle_share(const bench::options& o) {
  stretto::runtime runtime(with(o.workers));
  runtime.run([] { stretto::async([] {}).get(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // its workers go to sleep
  const double before = processor_seconds();
  const bench::stopwatch clock;
  std::this_thread::sleep_for(std::chrono::milliseconds(o.size));
  return {100 * (processor_seconds() - before) / clock.seconds()};
}

// The same work by one runtime and by two at once, each with all workers: seconds of two as a multiple of one.
bench::outcome measure_two_runtimes(const bench::options& o) {
  stretto::runtime first(with(o.workers)), second(with(o.workers));
  constexpr int times = 4;
  double alone = 1e300, both = 1e300;
  for (int round = 0; round < 3; ++round) {
    const bench::stopwatch of_one;
    run_fib(first, o.size, 2 * times);
    alone = std::min(alone, of_one.seconds());
    const bench::stopwatch of_both;
    std::thread other([&] { run_fib(second, o.size, times); });
    run_fib(first, o.size, times);
    other.join();
    both = std::min(both, of_both.seconds());
  }
  return {both / alone, {{"seconds_of_one", alone}, {"seconds_of_two", both}}};
}
