// node_reports.hpp - runs a program on all nodes of a simulated job, where it may fail on some: the exception of each
// run, and the messages at the end of runtimes.
#pragma once

#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "thrown_by.hpp"
#include "written_by.hpp"

namespace stretto::test {

/// The exceptions of the runs on all nodes, and the messages at the end of runtimes.
struct node_reports {
  std::map<std::uint32_t, std::string> thrown;
  std::string written;
};

/// Runs `program` on each node. Each runtime ends after its run, whatever that threw, as in a program that catches
/// outside of the run.
///
///   stuck_seconds   as in written_by
inline node_reports run_on_nodes(const simulated_job& job,
                                 const std::function<runtime_options(std::uint32_t)>& options_of,
                                 const std::function<void(runtime&)>& program, const char* stuck_seconds = "600") {
  node_reports told;
  std::mutex lock;
  told.written = written_by(
      [&] {
        const auto node = [&](std::uint32_t n) {
          runtime_options its = options_of(n);
          its.job = job.endpoint(n);
          runtime rt(its);
          const std::string text = thrown_by([&] { rt.run([&] { program(rt); }); });
          const std::scoped_lock held(lock);
          told.thrown[n] = text;
        };
        std::vector<std::thread> others;
        for (std::uint32_t n = 1; n < job.nodes(); ++n) others.emplace_back(node, n);
        node(0);  // on this thread, so that every thread belongs to a runtime
        for (std::thread& t : others) t.join();
      },
      stuck_seconds);
  return told;
}

inline node_reports run_on_nodes(const simulated_job& job, const runtime_options& options,
                                 const std::function<void(runtime&)>& program, const char* stuck_seconds = "600") {
  return run_on_nodes(job, [&](std::uint32_t) { return options; }, program, stuck_seconds);
}

}  // namespace stretto::test
