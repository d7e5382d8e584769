// A live runtime of this very process, looked at through its socket.
#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <thread>

#include <stretto/stretto.hpp>

#include "base/local_socket.hpp"
#include "temporary_folder.hpp"
#include "top/view.hpp"

using namespace stretto;
namespace fs = std::filesystem;

namespace {

/// Runtimes made while it lives are live, in a folder of the test's own.
struct live_environment {
  live_environment() {
    if (const char* given = getenv("XDG_RUNTIME_DIR")) before = given;
    setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
    setenv("STRETTO_LIVE", "1", 1);
  }
  ~live_environment() {
    unsetenv("STRETTO_LIVE");
    if (before) setenv("XDG_RUNTIME_DIR", before->c_str(), 1);
    else unsetenv("XDG_RUNTIME_DIR");
  }
  std::optional<top::sample> look() const {
    // It waits long for the reply: a busy machine may keep the replying thread waiting.
    const auto reply =
        base::query_local_socket(folder / "stretto", std::to_string(getpid()), std::chrono::seconds(120));
    if (!reply) return std::nullopt;
    return top::read_sample(*reply);
  }
  test::temporary_folder own;
  const fs::path& folder = own.path;
  std::optional<std::string> before;
};

}  // namespace

TEST_CASE("a live runtime tells its tasks, those suspended, and how far its long works are") {
  const live_environment here;
  runtime rt({.workers = 2});
  progress p("smoothing", 10, {.unit = "steps"});
  rt.run([&] {
    for (int i = 0; i < 100; ++i) async([] {}).get();
    const auto gate = user_event::create();
    std::atomic<int> begun{0};
    std::vector<future<void>> waiting;
    for (int i = 0; i < 5; ++i)
      waiting.push_back(async([&] {
        ++begun;
        wait(gate);
      }));
    p.advance(3);
    // Those that have begun may not have left their stacks yet.
    std::optional<top::sample> seen;
    do {
      yield();
      seen = here.look();
      REQUIRE(seen);
    } while (begun < 5 || seen->runtimes.at(0).counted.suspended < 5);
    std::uint64_t tasks = 0;
    for (const auto& w : seen->runtimes[0].counted.workers) tasks += w.tasks;
    CHECK(tasks >= 100);
    CHECK(seen->runtimes[0].counted.workers.size() == 2);
    CHECK(seen->process == static_cast<std::uint64_t>(getpid()));
    CHECK(seen->resident_bytes > 0);
    REQUIRE(seen->works.size() == 1);
    CHECK(seen->works[0].what == "smoothing");
    CHECK(seen->works[0].done == 3);
    gate.trigger();
    for (auto& f : waiting) f.get();
  });
  CHECK(here.look()->runtimes.at(0).counted.suspended == 0);
}

TEST_CASE("all live runtimes of a process are told by one socket, which goes with the last") {
  const live_environment here;
  {
    runtime a({.workers = 1});
    {
      runtime b({.workers = 2});
      REQUIRE(here.look());
      CHECK(here.look()->runtimes.size() == 2);
      CHECK(here.look()->runtimes[1].counted.workers.size() == 2);
    }
    CHECK(here.look()->runtimes.size() == 1);
  }
  CHECK(!here.look());
  CHECK(fs::is_empty(here.folder / "stretto"));
}

TEST_CASE("runtimes that nobody asked to see have no socket") {
  const live_environment here;
  unsetenv("STRETTO_LIVE");
  runtime rt({.workers = 1});
  CHECK(!here.look());
  CHECK(!fs::exists(here.folder / "stretto"));
}

TEST_CASE(
    "a process opens its socket when SIGURG asks for it, as stretto top does, and closes it with its last runtime") {
  const live_environment here;
  unsetenv("STRETTO_LIVE");
  {
    runtime a({.workers = 1}), b({.workers = 2});
    CHECK(!here.look());
    kill(getpid(), SIGURG);
    std::optional<top::sample> seen;
    while (!(seen = here.look())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(seen->runtimes.size() == 2);
    kill(getpid(), SIGURG);  // once more changes nothing
    CHECK(here.look());
  }
  CHECK(!here.look());
  kill(getpid(), SIGURG);  // nobody handles it any more: the system ignores it
  CHECK(!here.look());
}

TEST_CASE("requests to open while runtimes come and go break nothing") {
  const live_environment here;
  unsetenv("STRETTO_LIVE");
  std::atomic<bool> ends{false};
  std::thread asker([&] {
    while (!ends) {
      kill(getpid(), SIGURG);
      here.look();
    }
  });
  for (int i = 0; i < 20; ++i) {
    runtime rt({.workers = 2});
    rt.run([] { async([] {}).get(); });
  }
  ends = true;
  asker.join();
  CHECK(!here.look());
}

TEST_CASE("looks while runtimes start, work and end break nothing") {
  const live_environment here;
  std::atomic<bool> ends{false};
  std::thread looker([&] {
    while (!ends) {
      const auto seen = here.look();
      if (seen) CHECK(top::view(*seen, nullptr).size() > 10);
    }
  });
  for (int i = 0; i < 20; ++i) {
    runtime rt({.workers = 2});
    rt.run([] {
      for (int k = 0; k < 100; ++k) async([] { async([] {}).get(); });
    });
  }
  ends = true;
  looker.join();
}
