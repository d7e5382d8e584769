#include "api/trace_on_signal.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include <stretto/stretto.hpp>

#include "temporary_folder.hpp"
#include "usable_devices.hpp"

using namespace stretto;
using test::temporary_folder;
namespace fs = std::filesystem;

namespace {

/// The file, once it is a whole JSON text. A test that never gets there is ended by its time limit.
nlohmann::json json_once_written(const fs::path& file) {
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(2))) {
    std::ifstream in(file);
    if (!in) continue;
    if (auto text = nlohmann::json::parse(in, nullptr, false); !text.is_discarded()) return text;
  }
}

bool names(const nlohmann::json& trace, const std::string& name) {
  return trace.dump().find(name) != std::string::npos;
}

}  // namespace

TEST_CASE("a trace that a signal asks for lies beside that of the whole run, or in the working folder") {
  CHECK(signal_trace_name("", 4711, 0, 1) == "stretto-4711-0-1.json");
  CHECK(signal_trace_name("run.json", 4711, 0, 1) == "stretto-4711-0-1.json");
  CHECK(signal_trace_name("/tmp/out/run.json", 4711, 3, 12) == "/tmp/out/stretto-4711-3-12.json");
}

TEST_CASE("SIGUSR2 writes the newest spans of a runtime that goes on, a new file each time") {
  const temporary_folder folder;
  runtime rt({.workers = 2, .trace = (folder.path / "whole.json").string()});
  const auto file = [&](unsigned n) { return signal_trace_name(folder.path / "whole.json", getpid(), rt.node(), n); };
  std::ofstream(file(2)) << "somebody's\n";
  const int answer = rt.run([&] {
    async(name("before the signal"), [] {}).get();
    raise(SIGUSR2);
    CHECK(names(json_once_written(file(1)), "before the signal"));
    async(name("between two signals"), [] {}).get();
    raise(SIGUSR2);
    CHECK(names(json_once_written(file(3)), "between two signals"));
    return async([] { return 42; }).get();
  });
  CHECK(answer == 42);
  std::string kept;
  std::getline(std::ifstream(file(2)), kept);
  CHECK(kept == "somebody's");
}

TEST_CASE("SIGUSR2 makes a file for each runtime of the process, and means what it meant once they have ended") {
  struct sigaction before, after;
  sigaction(SIGUSR2, nullptr, &before);
  const temporary_folder folder;
  {
    runtime a({.workers = 1, .trace = (folder.path / "a.json").string()});
    runtime b({.workers = 1, .trace = (folder.path / "b.json").string()});
    a.run([] { async(name("in a"), [] {}).get(); });
    b.run([] { async(name("in b"), [] {}).get(); });
    raise(SIGUSR2);
    CHECK(names(json_once_written(signal_trace_name(folder.path / "x", getpid(), a.node(), 1)), "in a"));
    CHECK(names(json_once_written(signal_trace_name(folder.path / "x", getpid(), b.node(), 1)), "in b"));
  }
  sigaction(SIGUSR2, nullptr, &after);
  CHECK((after.sa_handler == before.sa_handler));
}

TEST_CASE("SIGUSR2 writes a trace where a driver's libraries handle it, too, as LLVM's do that PoCL loads") {
  const temporary_folder folder;
  struct sigaction before, after;
  sigaction(SIGUSR2, nullptr, &before);
  for (const std::string& kind : test::usable_devices({"opencl:1"}, "signals")) {
    CAPTURE(kind);
    runtime rt({.workers = 1, .devices = kind, .trace = (folder.path / (kind + ".json")).string()});
    rt.run([] { async(name("beside a driver"), [] {}).get(); });
    raise(SIGUSR2);
    CHECK(names(json_once_written(signal_trace_name(folder.path / "x", getpid(), rt.node(), 1)), "beside a driver"));
  }
  sigaction(SIGUSR2, nullptr, &after);
  CHECK((after.sa_handler == before.sa_handler));
}

TEST_CASE("signals that arrive while runtimes start and end are answered or not, and break nothing") {
  struct sigaction ignored {
  }, before;
  ignored.sa_handler = SIG_IGN;  // for those that come when no runtime is there
  sigaction(SIGUSR2, &ignored, &before);
  const temporary_folder folder;
  std::atomic<bool> ends{false};
  std::thread sender([&] {
    while (!ends) raise(SIGUSR2), std::this_thread::sleep_for(std::chrono::microseconds(300));
  });
  for (int i = 0; i < 20; ++i) {
    runtime rt({.workers = 2, .trace = (folder.path / "whole.json").string()});
    rt.run([] { async([] {}).get(); });
  }
  ends = true;
  sender.join();
  sigaction(SIGUSR2, &before, nullptr);
}
