// reports.cpp - Stretto: `stretto report` over a timeline of many records.
//
// Threads     called by a thread of no runtime.

#include <stretto/finish.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/whole_file.hpp"
#include "peers/stretto/benchmarks.hpp"
#include "report/page.hpp"
#include "report/timeline_reader.hpp"

namespace {

/// The most memory that this process has had since forget_peak(), in bytes.
double peak_bytes() {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;)
    if (double kilobytes = 0; word == "VmHWM:" && in >> kilobytes) return kilobytes * 1024;
  return 0;
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

struct recorded_file {
  explicit recorded_file(const bench::options& o) : name((folder.path() / "trace.json").string()) {
    stretto::runtime_options options;
    options.workers = static_cast<std::uint32_t>(o.workers);
    options.trace = name;
    stretto::runtime(options).run([&] {
      for (long left = o.size; left > 0; left -= 1000)
        stretto::finish([&] {
          for (long i = 0; i < std::min(left, 1000l); ++i) stretto::async(stretto::name(i % 2 ? "odd" : "even"), [] {});
        });
    });
  }
  const stretto::base::temporary_folder folder{"stretto_bench"};
  const std::string name;
};

struct cost {
  double seconds, bytes;
};
cost report(const bench::options& o) {
  const recorded_file file(o);
  bench::resident_bytes();  // gives free pages back
  forget_peak();
  const bench::stopwatch clock;
  const auto run = stretto::report::read_run(std::filesystem::path(file.name));
  const auto page = stretto::report::to_page(run, stretto::report::analyse(run));
  const double seconds = clock.seconds();
  bench::expect("a record for each task", static_cast<long>(run.records.size()) >= o.size, true);
  bench::expect("a page", page.size() > 10'000, true);
  return {seconds, peak_bytes()};
}

}  // namespace

bench::outcome time_report(const bench::options& o) { return {report(o).seconds}; }
bench::outcome measure_report_memory(const bench::options& o) { return {report(o).bytes * 1e-9}; }
