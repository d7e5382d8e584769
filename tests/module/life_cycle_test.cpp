#include <doctest/doctest.h>
#include <stretto/module.hpp>
#include <stretto/stretto.hpp>

#include <algorithm>
#include <functional>
#include <thread>

#include "module/timer_module.hpp"
#include "thrown_by.hpp"

using namespace stretto;
using test::thrown_by;
using test::timer_module;

namespace {

/// Records the calls to it, and runs the test's functions.
class noted final : public module {
 public:
  noted(std::string name, std::vector<std::string>& log) : name_(std::move(name)), log_(log) {}
  std::string_view name() const noexcept override { return name_; }
  void add_places(platform_description& machine) const override {
    if (at_places) at_places(machine);
  }
  void initialise(module_host& host) override {
    log_.push_back(name_ + " initialises");
    if (at_initialise) at_initialise(host);
  }
  void started(runtime& owner) override {
    log_.push_back(name_ + " starts");
    if (at_start) at_start(owner);
  }
  void finalise() override {
    log_.push_back(name_ + " finalises");
    if (at_end) at_end();
  }
  std::function<void(platform_description&)> at_places;
  std::function<void(module_host&)> at_initialise;
  std::function<void(runtime&)> at_start;
  std::function<void()> at_end;

 private:
  std::string name_;
  std::vector<std::string>& log_;
};

/// Lines "claimed ..." name a line of this file.
std::string without_line(std::string text) {
  const auto at = text.find("_test.cpp:");
  if (at == std::string::npos) return text;
  const auto end = text.find('\n', at);
  return text.erase(at + 10, end - at - 10);
}

/// An offer of one module that another uses without knowing which module it is.
class can_count {
 public:
  virtual int count() = 0;

 protected:
  ~can_count() = default;
};

class counting final : public module, public can_count {
 public:
  std::string_view name() const noexcept override { return "counting"; }
  void initialise(module_host& host) override {
    finds_itself = host.find<can_count>() != nullptr;
    next_ = 1;
  }
  int count() override { return next_++; }
  bool finds_itself = true;

 private:
  int next_ = 0;
};

void add_disk(platform_description& d) {
  place_description disk;
  disk.name = "disk";
  disk.kind = place_kind::storage;
  d.places.push_back(disk);
  d.links.push_back({place{0}, place{static_cast<std::uint32_t>(d.places.size() - 1)}, {}, {}});
}

}  // namespace

TEST_CASE("modules are initialised in order, started once there are workers, and finalised in reverse") {
  std::vector<std::string> log;
  auto a = std::make_shared<noted>("a", log), b = std::make_shared<noted>("b", log);
  int ran = 0;
  a->at_start = [&](runtime& rt) { CHECK(rt.workers() == 2); };
  a->at_end = [&] {  // workers still work
    ran = async([] { return 20; }).get() + 1;
    async([&] { ++ran; });
  };
  {
    runtime rt({.workers = 2, .modules = {a, b}});
    CHECK(log == std::vector<std::string>{"a initialises", "b initialises", "a starts", "b starts"});
    rt.run([&] { async([&] { log.push_back("a task runs"); }); });
  }
  CHECK(log == std::vector<std::string>{"a initialises", "b initialises", "a starts", "b starts", "a task runs",
                                        "b finalises", "a finalises"});
  CHECK(ran == 22);
}

TEST_CASE("a module that fails to initialise is named, and those before it are finalised") {
  for (const bool at_start : {false, true}) {
    std::vector<std::string> log;
    auto a = std::make_shared<noted>("a", log), b = std::make_shared<noted>("b", log),
         c = std::make_shared<noted>("c", log);
    if (at_start) b->at_start = [](runtime&) { throw std::runtime_error("no such device"); };
    else b->at_initialise = [](module_host&) { throw std::runtime_error("no such device"); };
    CHECK(thrown_by([&] { runtime rt({.workers = 2, .modules = {a, b, c}}); }) ==
          std::string("error M04: module \"b\" failed to ") + (at_start ? "start" : "initialise") +
              "\n  because     no such device\n"
              "  try         fix the cause, or omit the module; the modules before it have been finalised");
    if (at_start)
      CHECK(log == std::vector<std::string>{"a initialises", "b initialises", "c initialises", "a starts", "b starts",
                                            "c finalises", "b finalises", "a finalises"});
    else CHECK(log == std::vector<std::string>{"a initialises", "b initialises", "a finalises"});
    // All of them, and the node number, can be used again.
    b->at_start = nullptr, b->at_initialise = nullptr;
    runtime rt({.workers = 1, .modules = {a, b, c}});
    CHECK(rt.run([] { return async([] { return 3; }).get(); }) == 3);
  }
}

TEST_CASE("a poller of a module that failed to initialise is forgotten with it") {
  class short_lived final : public module {
   public:
    std::string_view name() const noexcept override { return "short"; }
    void initialise(module_host& host) override {
      struct nothing final : poller {
        std::size_t poll() override { return 0; }
        void fail(std::exception_ptr) noexcept override {}
      };
      nothing own, second;
      host.add_poller(own);
      host.add_poller(second);
      throw std::runtime_error("not today");
    }
  };
  CHECK_THROWS_AS(
      runtime({.workers = 1, .modules = {std::make_shared<timer_module>(), std::make_shared<short_lived>()}}), error);
}

TEST_CASE("two modules of one name, an empty name and a null pointer are refused") {
  CHECK(thrown_by([] {
          runtime(
              {.workers = 1, .modules = {std::make_shared<timer_module>("t"), std::make_shared<timer_module>("t")}});
        }) ==
        "error M01: two modules of a runtime are named \"t\"\n"
        "  because     errors and statistics identify modules by name\n"
        "  try         give each module to a runtime once");
  CHECK(thrown_by([] {
          runtime({.workers = 1, .modules = {std::make_shared<timer_module>("")}});
        }).starts_with("error M01"));
  CHECK(thrown_by([] { runtime({.workers = 1, .modules = {nullptr}}); }).starts_with("error M01"));
}

TEST_CASE("a module object serves one runtime at a time") {
  auto timer = std::make_shared<timer_module>();
  {
    runtime first({.workers = 1, .modules = {timer}});
    CHECK(thrown_by([&] { runtime({.workers = 1, .modules = {timer}}); }) ==
          "error M02: module \"timer\" is in use by another runtime\n"
          "  because     a module object keeps the state of one runtime\n"
          "  try         make an object for each runtime");
    first.run([&] { wait(timer->sleep_for(std::chrono::microseconds(10))); });
  }
  runtime second({.workers = 1, .modules = {timer}});
  second.run([&] { wait(timer->sleep_for(std::chrono::microseconds(10))); });
}

TEST_CASE("two runtimes run the same kind of module side by side, each with its own") {
  const auto work = [] {
    auto timer = std::make_shared<timer_module>();
    runtime rt({.workers = 2, .modules = {timer}});
    for (int i = 0; i < 20; ++i)
      rt.run([&] {
        CHECK(&this_runtimes<timer_module>() == timer.get());
        wait(this_runtimes<timer_module>().sleep_for(std::chrono::microseconds(50)));
      });
    CHECK(rt.statistics().modules.at(0).count == 20);
  };
  std::thread other(work);
  work();
  other.join();
}

TEST_CASE("each place is served by at most one module") {
  std::vector<std::string> log;
  auto a = std::make_shared<noted>("disks", log), b = std::make_shared<noted>("tapes", log);
  a->at_places = add_disk;
  a->at_initialise = [](module_host& host) {
    CHECK(host.claim(place_kind::storage).size() == 1);
    CHECK_NOTHROW(host.claim(host.machine().at("disk")));  // again by the same
  };
  b->at_initialise = [](module_host& host) { host.claim(place_kind::storage); };
  CHECK(without_line(thrown_by([&] { runtime({.workers = 1, .modules = {a, b}}); })) ==
        "error M03: modules \"disks\" and \"tapes\" both claim place \"disk\"\n"
        "  claimed     life_cycle_test.cpp:\n"
        "  because     each place is served by at most one module\n"
        "  try         omit one of them, or let them claim different places");
  CHECK(log == std::vector<std::string>{"disks initialises", "tapes initialises", "disks finalises"});
}

TEST_CASE("places that a module adds are those of the runtime; what it adds wrongly names it") {
  std::vector<std::string> log;
  auto a = std::make_shared<noted>("disks", log);
  a->at_places = add_disk;
  {
    runtime rt({.workers = 1, .modules = {a}});
    CHECK(rt.machine().kind(rt.machine().at("disk")) == place_kind::storage);
  }
  a->at_places = [](platform_description&) { throw std::runtime_error("no disk at all"); };
  CHECK(thrown_by([&] {
          runtime({.workers = 1, .modules = {a}});
        }).starts_with("error M04: module \"disks\" failed to add its places\n  because     no disk at all"));
}

TEST_CASE("asking for a module that the runtime does not have says how to have it") {
  runtime rt({.workers = 1});
  const std::string text = thrown_by([&] { rt.run([] { this_runtimes<timer_module>(); }); });
  CHECK(without_line(text) ==
        "error M09: this runtime has no module of type stretto::test::timer_module\n"
        "  called      life_cycle_test.cpp:\n"
        "  modules     none\n"
        "  try         pass it to the runtime: runtime_options{.modules = "
        "{std::make_shared<stretto::test::timer_module>()}}");
  CHECK(thrown_by([] { this_runtimes<timer_module>(); }).starts_with("error B20"));
}

TEST_CASE("a poller belongs to one runtime, and is added once") {
  std::vector<std::string> log;
  struct nothing final : poller {
    std::size_t poll() override { return 0; }
    void fail(std::exception_ptr) noexcept override {}
  } mine;
  auto a = std::make_shared<noted>("a", log);
  a->at_initialise = [&](module_host& host) {
    host.add_poller(mine);
    host.add_poller(mine);
  };
  CHECK(thrown_by([&] { runtime({.workers = 1, .modules = {a}}); }) ==
        "error M11: a poller was added twice\n"
        "  because     a poller belongs to one runtime until that runtime ends\n"
        "  try         make one poller per runtime, and add it once");
  a->at_initialise = [&](module_host& host) { host.add_poller(mine); };
  runtime rt({.workers = 1, .modules = {a}});
}

TEST_CASE("a module finds others by what they offer, whichever of them is initialised first") {
  std::vector<std::string> log;
  for (const bool is_last : {false, true}) {
    auto user = std::make_shared<noted>("user", log);
    auto counts = std::make_shared<counting>();
    can_count* found = nullptr;
    int counted = 0;
    user->at_initialise = [&](module_host& host) {
      found = host.find<can_count>();
      CHECK(host.find<counting>() == counts.get());
      CHECK(host.find<timer_module>() == nullptr);
      CHECK(host.find<noted>() == nullptr);  // the only one is the module that asks
    };
    user->at_start = [&](runtime&) { counted = found->count(); };
    std::vector<std::shared_ptr<module>> modules{counts, user};
    if (is_last) std::ranges::reverse(modules);
    runtime rt({.workers = 1, .modules = modules});
    CHECK(counted == 1);
    CHECK_FALSE(counts->finds_itself);
  }
}
