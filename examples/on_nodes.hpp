// on_nodes.hpp - runs a program on several nodes, however it was started: what examples share.
#pragma once

#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

/// In the processes that a launcher has started, or in a dry run; else in a simulated job within this one, of three
/// nodes or of as many as `argument` says.
inline int run_on_nodes(const std::function<void()>& program, const char* argument = nullptr) {
  if (stretto::runtime rt; rt.nodes() > 1 || rt.run(stretto::is_dry_run)) {
    rt.run(program);
    return 0;
  }
  const int nodes = argument ? std::atoi(argument) : 3;
  stretto::simulated_job job({.nodes = static_cast<std::uint32_t>(nodes)});
  std::vector<std::thread> all;
  for (std::uint32_t n = 0; n < job.nodes(); ++n)
    all.emplace_back([&job, &program, n] {
      stretto::runtime rt({.workers = 1, .job = job.endpoint(n)});
      rt.run(program);
    });
  for (auto& t : all) t.join();
  return 0;
}
