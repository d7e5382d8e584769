// The trace of modules, of threads that are not workers, and of the body of run.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <stretto/stretto.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "module/disk_module.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "written_by.hpp"

using namespace stretto;
using nlohmann::json;
using test::disk_module;

namespace {

struct trace_file {
  std::vector<json> events() const {
    std::ifstream in(file);
    return json::parse(in).at("traceEvents").get<std::vector<json>>();
  }
  std::vector<json> spans(std::string_view name) const {
    std::vector<json> found;
    for (const json& e : events())
      if ((e.at("ph") == "X" || e.at("ph") == "b") && e.at("name").get<std::string>().starts_with(name))
        found.push_back(e);
    return found;
  }
  std::string lane_of(const json& span) const {
    for (const json& e : events())
      if (e.at("name") == "thread_name" && e.at("tid") == span.at("tid")) return e.at("args").at("name");
    return {};
  }
  const test::temporary_folder folder;
  const std::filesystem::path file = folder.path / "run.json";
};

}  // namespace

TEST_CASE("operations at a module's place, and copies that it performs, are attributed to the module") {
  const trace_file trace;
  {
    auto disk = std::make_shared<disk_module>();
    runtime rt({.workers = 2, .trace = trace.file.string(), .modules = {disk}});
    const place there = rt.machine().at("disk"), here = rt.machine().places(place_kind::system_memory).at(0);
    std::vector<std::byte> bytes(4096);
    rt.run([&] {
      async(name("on disk"), at(there), [] {}).get();
      async(name("in memory"), [] {}).get();
      const auto gate = user_event::create();
      const event copied = async_copy(here, bytes.data(), there, disk_module::at(0), bytes.size(), after(gate));
      async(name("then"), after(copied), [] {});
      gate.trigger();
    });
  }
  const auto served = trace.spans("on disk");
  REQUIRE(served.size() == 1);
  CHECK(served[0]["args"]["module"] == "disk");
  CHECK(served[0]["args"]["place"] == "disk");
  CHECK(trace.lane_of(served[0]).starts_with("thread "));
  for (const json& one : trace.spans("in memory")) CHECK_FALSE(one["args"].contains("module"));
  const auto copies = trace.spans("async_copy");
  REQUIRE(copies.size() >= 1);
  CHECK(copies[0]["args"]["module"] == "disk");
  CHECK(copies[0]["args"]["from"] == "disk");
  CHECK(trace.spans("then").at(0)["args"]["cause"] == copies[0]["args"]["id"]);
}

TEST_CASE("the body of run is an operation that names its line, and what it spawns names it as the cause") {
  for (const bool stepped : {false, true}) {
    const trace_file trace;
    unsigned line = 0;
    {
      runtime rt({.workers = 1, .trace = trace.file.string(), .stepped = stepped});
      const auto body = [] { async(name("spawned"), [] { async(name("nested"), [] {}); }).get(); };
      rt.run(body), line = __LINE__;
      rt.run(body);
    }
    const auto bodies = trace.spans("body of run");
    std::set<std::string> ids;
    for (const json& one : bodies)
      if (one["cat"] == "task") ids.insert(one["args"]["id"]);
    CHECK(ids.size() == 2);
    CHECK(bodies.at(0)["args"]["at"] == "trace_test.cpp:" + std::to_string(line));
    const auto spawned = trace.spans("spawned"), nested = trace.spans("nested");
    REQUIRE(spawned.size() == 2);
    for (const json& one : spawned) CHECK(ids.count(one["args"]["cause"]));
    for (const json& one : nested) CHECK_FALSE(ids.count(one["args"]["cause"]));
  }
}

TEST_CASE("a runtime whose trace cannot be written does not begin") {
  for (const char* file : {"/nonexistent/run.json", "/tmp", "/dev/null/run.json"}) {
    const std::string said = test::thrown_by([&] { runtime rt({.workers = 1, .trace = file}); });
    CHECK(said.starts_with("error T01: the trace could not be written\n"));
    CHECK(said.find(file) != std::string::npos);
  }
  runtime rt({.workers = 1, .trace = "/dev/null"});  // not a regular file; its folder need not be writable
}

TEST_CASE("a runtime whose trace cannot be written at its end reports that and ends nevertheless") {
  std::string file;
  const std::string said = test::written_by([&] {
    auto folder = std::make_unique<test::temporary_folder>();
    file = (folder->path / "run.json").string();
    runtime rt({.workers = 1, .trace = file});
    CHECK(rt.run([&] { return folder.reset(), async([] { return 7; }).get(); }) == 7);
  });
  CHECK(said.find("error T01") != std::string::npos);
  CHECK(said.find(file) != std::string::npos);
}

TEST_CASE("a suspension is recorded with the line of its wait, and the task that ended it") {
  const trace_file trace;
  unsigned line = 0;
  {
    runtime rt({.workers = 1, .trace = trace.file.string()});
    rt.run([&] {
      const auto gate = user_event::create();
      bool begun = false;
      const auto waiter = async(name("waiter"), [&] { begun = true, wait(gate), line = __LINE__; });
      while (!begun) yield();
      const auto opener = async(name("opener"), [&] { gate.trigger(); });
      waiter.get(), opener.get();
    });
  }
  json suspended;
  for (const json& one : trace.spans("waiter"))
    if (one["cat"] == "suspended") suspended = one;
  REQUIRE(suspended.is_object());
  CHECK(suspended["args"]["at"] == "trace_test.cpp:" + std::to_string(line));
  CHECK(suspended["args"]["waits_for"] == trace.spans("opener").at(0)["args"]["id"]);
}

TEST_CASE("short-lived threads reuse the rows of the trace") {
  const trace_file trace;
  {
    runtime rt({.workers = 2, .trace = trace.file.string()});
    for (int i = 0; i < 50; ++i)
      std::thread([&] {
        const attached_thread here(rt);
        async([] {}).get();
      }).join();
  }
  std::map<std::string, int> lanes;
  for (const json& e : trace.events())
    if (e.at("name") == "thread_name") ++lanes[e.at("args").at("name")];
  CHECK(lanes.count("thread 1") == 1);
  CHECK(lanes.count("thread 2") == 0);
}
