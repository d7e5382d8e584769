#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <stretto/error.hpp>
#include <stretto/event.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include "base/wait_snapshot.hpp"
#include "diagnose/hang_report.hpp"
#include "temporary_folder.hpp"
#include "with_variable.hpp"

namespace {

/// The last report that is whole in a file of that folder; empty: none yet.
std::vector<stretto::base::wait_snapshot> report_in(const std::filesystem::path& folder) {
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(file.path());
    try {
      return stretto::diagnose::from_json(std::string(std::istreambuf_iterator<char>(in), {}));
    } catch (const stretto::error&) {  // it is being written
    }
  }
  return {};
}

volatile std::sig_atomic_t handled = 0;
void count(int) { handled = handled + 1; }

auto handler_now() {
  struct sigaction present;
  sigaction(SIGUSR1, nullptr, &present);
  return present.sa_handler;
}

}  // namespace

TEST_CASE("a SIGUSR1 handler that was installed before is called too, and restored after the last runtime") {
  const auto before = std::signal(SIGUSR1, count);
  {
    stretto::runtime one({.workers = 1});
    stretto::runtime two({.workers = 1});
    CHECK((handler_now() != count));
    handled = 0;
    std::raise(SIGUSR1);
    CHECK(handled == 1);
  }
  CHECK((handler_now() == count));
  std::signal(SIGUSR1, before);
}

TEST_CASE("a handler for SIGUSR1 that the program sets later is left alone") {
  const auto before = std::signal(SIGUSR1, SIG_IGN);
  {
    stretto::runtime rt({.workers = 1});
    std::signal(SIGUSR1, count);
  }
  CHECK((handler_now() == count));
  std::signal(SIGUSR1, before);
}

TEST_CASE("no hang of a job is proven while a node of another job in this process runs") {
  const stretto::test::temporary_folder folder;
  std::atomic<bool> other_runs{false}, event_exists{false};
  std::optional<stretto::user_event> awaited;
  stretto::runtime* first = nullptr;
  bool is_proven = true;
  const stretto::simulated_job job({.nodes = 2}), other_job({.nodes = 1});
  const std::jthread other([&] {
    stretto::runtime rt({.workers = 1, .job = other_job.endpoint(0)});
    rt.run([&] {
      other_runs = true;
      std::vector<stretto::base::wait_snapshot> report;
      while (report.empty() || !event_exists) std::this_thread::yield(), report = report_in(folder.path);
      is_proven = report[0].is_proven;
      const std::jthread trigger([&] {
        const stretto::attached_thread here(*first);
        awaited->trigger();
      });
    });
  });
  while (!other_runs) std::this_thread::yield();
  const stretto::test::with_variable limit("STRETTO_STUCK", "0.01"),
      file("STRETTO_STUCK_FILE", (folder.path / "report").c_str());
  const std::jthread second([&] {
    stretto::runtime rt({.workers = 1, .job = job.endpoint(1)});
    rt.run([] {});
  });
  {
    stretto::runtime rt({.workers = 1, .job = job.endpoint(0)});
    rt.run([&] {
      first = &rt;
      awaited = stretto::user_event::create();
      event_exists = true;
      stretto::wait(*awaited);
    });
  }
  CHECK_FALSE(is_proven);
}

TEST_CASE("runtimes start and end while they are monitored") {
  for (int i = 0; i < 50; ++i) {
    stretto::runtime one({.workers = 1}), two({.workers = 2});
    CHECK(one.run([] { return stretto::async([] { return 1; }).get(); }) == 1);
  }
}
