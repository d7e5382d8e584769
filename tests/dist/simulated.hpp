// simulated.hpp - runs a program on all nodes of a simulated job, each a runtime with threads of its own.
#pragma once

#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "../function_reference.hpp"

namespace stretto::test {

/// Calls `program(runtime&)` inside run on every node, in a runtime with these options; rethrows the first exception.
inline void on_nodes_of(const simulated_job& job, const runtime_options& options,
                        function_reference<void(runtime&)> program) {
  std::mutex lock;
  std::exception_ptr first;
  std::vector<std::thread> all;
  for (std::uint32_t n = 0; n < job.nodes(); ++n)
    all.emplace_back([&, n] {
      try {
        runtime_options its = options;
        its.job = job.endpoint(n);
        runtime rt(its);
        rt.run([&] { program(rt); });
      } catch (...) {
        const std::scoped_lock hold(lock);
        if (!first) first = std::current_exception();
      }
    });
  for (std::thread& t : all) t.join();
  if (first) std::rethrow_exception(first);
}

inline void on_all_nodes(const simulated_network& network, std::uint32_t workers,
                         function_reference<void(runtime&)> program, const simulated_job* given = nullptr) {
  on_nodes_of(given ? *given : simulated_job(network), {.workers = workers}, program);
}

}  // namespace stretto::test
