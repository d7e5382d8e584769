// failures_test.cpp - the failures that a finish throws.
#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include <stretto/stretto.hpp>

#include "function_reference.hpp"

using namespace stretto;

namespace {

void fail(const char* why) {
  async([why] { throw std::runtime_error(why); });
}

/// The first line of the exception that run(body) throws.
std::string thrown_by_run_of(test::function_reference<void()> body) {
  runtime rt({.workers = 2});
  try {
    rt.run([&] { body(); });
  } catch (const error& e) {
    return e.code() + ": " + e.sentence();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("a failure that was observed does not hide a later one that was not") {
  CHECK(thrown_by_run_of([] {
          auto seen = async([] { throw std::runtime_error("seen"); });
          CHECK_THROWS_WITH(seen.get(), "seen");
          fail("unseen");
        }) == "unseen");
}

TEST_CASE("a failure that was observed is not counted with those that were not") {
  CHECK(thrown_by_run_of([] {
          auto seen = async([] { throw std::runtime_error("seen"); });
          CHECK_THROWS(seen.get());
          fail("one");
          fail("two");
        }) == "S06: 2 tasks failed inside one finish");
}

TEST_CASE("a failure that is observed late, but inside, does not leave the finish") {
  CHECK(thrown_by_run_of([] {
          auto seen = async([] { throw std::runtime_error("seen"); });
          while (!seen.is_ready()) yield();
          auto skipped = async(after(seen), [] {});
          CHECK_THROWS_AS(skipped.get(), poisoned);
        }) == "nothing");
}

TEST_CASE("work that was skipped because of a failure is not another failure") {
  CHECK(thrown_by_run_of([] {
          auto failed = async([] { throw std::runtime_error("once"); });
          for (int i = 0; i < 10; ++i) async(after(failed), [] {});
        }) == "once");
}

TEST_CASE("of very many failures, all are counted") {
  CHECK(thrown_by_run_of([] {
          for (int i = 0; i < 5000; ++i) fail("again");
        }) == "S06: 5000 tasks failed inside one finish");
}

TEST_CASE("a chain of any length is skipped, reported from both ends, and destroyed") {
  const std::string told = thrown_by_run_of([] {
    future<void> first = async([] { throw std::runtime_error("at the start"); });
    future<void> last = first;
    for (int i = 0; i < 100000; ++i) last = async(after(last), [] {});
    first = {};
    try {
      last.get();
    } catch (const poisoned& p) {
      CHECK(p.facts().size() == 10);
    }
  });
  CHECK(told == "nothing");
}

TEST_CASE("work that was skipped because of an event leaves the finish once") {
  CHECK(thrown_by_run_of([] {
          const auto never = user_event::create();
          for (int i = 0; i < 10; ++i) async(after(never), name("waits"), [] {});
          never.poison(std::make_exception_ptr(std::runtime_error("given up")));
        }).starts_with("E10: task \"waits\" was skipped because"));
}

TEST_CASE("a failed data operation that is not observed leaves run") {
  std::string told = thrown_by_run_of([] {
    const auto table = instance<int>::create(at(place{0}), {0, 4}).made;
    const auto names = instance<std::int64_t>::create(at(place{0}), {0, 2}).made;
    const auto out = instance<int>::create(at(place{0}), {0, 2}).made;
    fill(table, 1);
    fill(names, 9);
    gather(table, names, out);
  });
  CHECK(told.starts_with("D07: gather found an index outside"));
}

TEST_CASE("a failed data operation that was observed in any way does not leave run") {
  CHECK(thrown_by_run_of([] {
          const auto bad = [] {
            const auto table = instance<int>::create(at(place{0}), {0, 4}).made;
            const auto names = instance<std::int64_t>::create(at(place{0}), {0, 2}).made;
            const auto out = instance<int>::create(at(place{0}), {0, 2}).made;
            fill(table, 1);
            fill(names, 9);
            return gather(table, names, out);
          };
          CHECK_THROWS_AS(wait(bad()), error);
          CHECK_FALSE(bad().result().ok());
          CHECK_THROWS_AS(async(after(bad()), [] {}).get(), poisoned);
          const auto q = completion_queue::create();
          q.add(bad());
          CHECK_FALSE(q.pop(1).at(0).how.ok());
        }) == "nothing");
}

TEST_CASE("work skipped because of a failed data operation is the same failure") {
  CHECK(thrown_by_run_of([] {
          const auto never = user_event::create();
          const auto u = instance<int>::create(at(place{0}), {0, 4}, {.name = "u"}).made;
          const event filled = fill(u, 1, after(never));
          for (int i = 0; i < 5; ++i) async(after(filled), [] {});
          never.poison(std::make_exception_ptr(std::runtime_error("given up")));
        }).starts_with("E10: "));
}

TEST_CASE("run reports a promise that is destroyed without a value if its future is not read") {
  CHECK(thrown_by_run_of([] {
          future<int> f;
          promise<int> p;
          f = p.get_future();
        }).starts_with("E12: a promise was destroyed without a value"));
}

TEST_CASE("data operations and tasks that fail side by side are counted together") {
  CHECK(thrown_by_run_of([] {
          future<int> f;
          promise<int> p;
          f = p.get_future();
          fail("task");
        }) == "S06: 2 failures inside one run");
}

TEST_CASE("a task that waits for its own end is refused at once") {
  CHECK(thrown_by_run_of([] {
          const auto self = std::make_shared<future<void>>();
          const auto go = user_event::create();
          *self = async([self, go] {
            wait(go);
            wait(*self);
          });
          go.trigger();
        }) == "S14: a task waits for itself");
}

TEST_CASE("a task inside a finish that waits for the one that opened it is refused at once, however deep") {
  CHECK(thrown_by_run_of([] {
          const auto opener = std::make_shared<future<void>>();
          const auto go = user_event::create();
          *opener = async([opener, go] {
            wait(go);
            finish([opener] {
              async([opener] {
                finish([opener] { async([opener] { CHECK_THROWS_AS(wait(*opener), error); }); });
                wait(*opener);
              });
            });
          });
          go.trigger();
        }) == "S14: a task waits for the task whose finish waits for it");
}

TEST_CASE("a task inside a finish may wait for one that was spawned before the finish") {
  CHECK(thrown_by_run_of([] {
          const auto go = user_event::create();
          const auto before = async([go] { wait(go); });
          async([before, go] {
            finish([before, go] {
              async([before] { wait(before); });
              async([go] { go.trigger(); });
            });
          });
        }) == "nothing");
}

TEST_CASE("the error for a promise that is used after it was fulfilled names the verb and the line of the program") {
  runtime rt({.workers = 1});
  rt.run([] {
    const auto told = [](auto&& use) {
      promise<int> p;
      p.set(1);
      try {
        use(p);
      } catch (const error& e) {
        return std::string(e.what());
      }
      return std::string();
    };
    const auto line = [](int n) { return "failures_test.cpp:" + std::to_string(n); };
    const std::string set = told([](auto& p) { p.set(2); });
    CHECK(set.starts_with("error E13: \"set\" was called on an empty future or promise"));
    CHECK(set.find(line(__LINE__ - 2)) != std::string::npos);
    const std::string poison = told([](auto& p) { p.poison(std::make_exception_ptr(1)); });
    CHECK(poison.starts_with("error E13: \"poison\" was called"));
    CHECK(poison.find(line(__LINE__ - 2)) != std::string::npos);
    const std::string asked = told([](auto& p) { p.get_future(); });
    CHECK(asked.starts_with("error E13: \"get_future\" was called"));
    CHECK(asked.find(line(__LINE__ - 2)) != std::string::npos);
    promise<void> done;
    done.set();
    CHECK_THROWS_AS(done.set(), error);
  });
}

TEST_CASE("a task at a device is refused, and the error says what runs there instead") {
  runtime rt({.workers = 1, .devices = "sim"});
  rt.run([&] {
    const auto told = [](const auto& tag) {
      try {
        async(tag, [] {});
      } catch (const error& e) {
        return std::string(e.what());
      }
      return std::string();
    };
    const place gpu = rt.machine().places(place_kind::gpu).front();
    const std::string name = '"' + rt.machine().name(gpu) + '"';
    for (const auto& [code, text] : {std::pair("S02", told(at(gpu))), std::pair("S03", told(on(gpu)))}) {
      CHECK(text.starts_with("error " + std::string(code) + ": place " + name +
                             " is a device's: tasks, which are code of the host, do not run there\n"));
      CHECK(text.find("launch(on(place), kernel, ...)") != std::string::npos);
      CHECK(text.find("native_kernel") != std::string::npos);
    }
  });
}
