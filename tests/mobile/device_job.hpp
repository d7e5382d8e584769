// device_job.hpp - a program on all nodes of a simulated job, each a runtime with threads and devices of its own.
#pragma once

#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace stretto::test {

/// Runs `program()` inside run on every node; rethrows what the first of them threw.
template <class F>
void on_device_nodes(const simulated_job& job, const std::string& devices, F&& program, unsigned workers = 2) {
  std::mutex lock;
  std::exception_ptr first;
  std::vector<std::thread> all;
  for (std::uint32_t n = 0; n < job.nodes(); ++n)
    all.emplace_back([&, n] {
      try {
        runtime rt({.workers = workers, .devices = devices, .job = job.seat(n)});
        rt.run([&] { program(); });
      } catch (...) {
        const std::scoped_lock hold(lock);
        if (!first) first = std::current_exception();
      }
    });
  for (std::thread& t : all) t.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace stretto::test
