// trace_cost.cpp - Stretto: the cost of recording a full trace, and of writing it to a file.
//
// Threads     called by a thread of no runtime.

#include <stretto/finish.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/whole_file.hpp"
#include "peers/stretto/benchmarks.hpp"

namespace {

/// In full detail or at the default level; the file that a runtime writes at its end goes nowhere.
stretto::runtime_options with(int workers, bool in_full) {
  stretto::runtime_options options;
  options.workers = static_cast<std::uint32_t>(workers);
  if (in_full) options.trace = "/dev/null";
  return options;
}

double seconds_of_empty_tasks(bool in_full, const bench::options& o) {
  stretto::runtime runtime(with(o.workers, in_full));
  double seconds = 0;
  for (const long count : {o.size / 10, o.size}) {  // the first warms up
    const bench::stopwatch clock;
    runtime.run([&] {
      for (long left = count; left > 0; left -= 1000)
        stretto::finish([&] {
          for (long i = 0; i < std::min(left, 1000l); ++i) stretto::async([] {});
        });
    });
    seconds = clock.seconds();
  }
  return seconds;
}

void work_for(double seconds) {
  const bench::stopwatch clock;
  while (clock.seconds() < seconds) {
  }
}

// Work that takes the same number of instructions each time, about 5 us.
void spin(long turns) {
  for (long i = 0; i < turns; ++i) asm volatile("" : : "r"(i));
}

double seconds_of_short_tasks(stretto::runtime& runtime, long turns, long count) {
  const bench::stopwatch clock;
  runtime.run([&] {
    for (long left = count; left > 0; left -= 1000)
      stretto::finish([&] {
        for (long i = 0; i < std::min(left, 1000l); ++i) stretto::async([turns] { spin(turns); });
      });
  });
  return clock.seconds();
}

}  // namespace

bench::outcome time_recorded_span(const bench::options& o) {
  double least = 1e300;
  for (int round = 0; round < 5; ++round) {
    const double plain = seconds_of_empty_tasks(false, o), full = seconds_of_empty_tasks(true, o);
    least = std::min(least, full - plain);
  }
  return {least * 1e9 / static_cast<double>(o.size)};
}

// Full recording of tasks of 5 us, as a share of their time at the default level: the rounds take turns.
bench::outcome measure_recorded_share(const bench::options& o) {
  work_for(0.05);
  const bench::stopwatch clock;
  spin(10'000'000);
  const auto turns = static_cast<long>(10'000'000 * 5e-6 / clock.seconds());
  stretto::runtime plain(with(o.workers, false)), full(with(o.workers, true));
  double of_plain = 1e300, of_full = 1e300;
  for (int round = 0; round < 15; ++round) {
    of_plain = std::min(of_plain, seconds_of_short_tasks(plain, turns, o.size));
    of_full = std::min(of_full, seconds_of_short_tasks(full, turns, o.size));
  }
  return {100 * (of_full / of_plain - 1)};
}

bench::outcome time_trace_write(const bench::options& o) {
  const stretto::base::temporary_folder folder("stretto_bench");
  const auto file = folder.path() / "trace.json";
  stretto::runtime runtime(with(o.workers, true));
  runtime.run([&] {
    for (long left = o.size; left > 0; left -= 1000)
      stretto::finish([&] {
        for (long i = 0; i < std::min(left, 1000l); ++i) stretto::async(stretto::name("part"), [] {});
      });
  });
  const bench::stopwatch clock;
  runtime.save_trace(file.string());
  const double seconds = clock.seconds();
  const auto bytes = static_cast<double>(std::filesystem::file_size(file));
  bench::expect("bytes of a record at least", bytes > 100.0 * static_cast<double>(o.size), true);
  return {seconds, {{"bytes", bytes}}};
}
