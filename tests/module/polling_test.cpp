#include <doctest/doctest.h>
#include <stretto/stretto.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "eventually.hpp"
#include "module/timer_module.hpp"
#include "module/with_module.hpp"

using namespace stretto;
using namespace std::chrono_literals;
using test::steady, test::timer_module, test::with;

namespace {

/// Completes an operation at the n-th poll, and records the polling thread.
class countdown final : public module, public poller {
 public:
  std::string_view name() const noexcept override { return "countdown"; }
  void initialise(module_host& host) override { host.add_poller(*this); }

  event start(int polls) {
    done_ = user_event::create();
    left_ = polls;
    add_pending();
    return done_;
  }
  std::size_t poll() override {
    CHECK_FALSE(inside_.exchange(true));  // one thread at a time
    CHECK(pending() > 0);
    ++polls;
    std::size_t ended = 0;
    if (--left_ == 0) {
      if (throws) {
        inside_ = false;
        throw std::runtime_error("the device is gone");
      }
      done_.trigger();
      remove_pending();
      ended = 1;
    }
    inside_ = false;
    return ended;
  }
  void fail(std::exception_ptr why) noexcept override { done_.poison(why); }

  std::atomic<int> polls{0};
  bool throws = false;

 private:
  user_event done_;
  std::atomic<int> left_{0};
  std::atomic<bool> inside_{false};
};

/// Triggers its event after some time, but reports no progress, like an operation that completes on its own.
class modest final : public module, public poller {
 public:
  std::string_view name() const noexcept override { return "modest"; }
  void initialise(module_host& host) override { host.add_poller(*this); }
  void begin() { add_pending(); }
  void end() { remove_pending(); }
  event start(std::chrono::microseconds in) {
    const auto e = user_event::create();
    const std::scoped_lock lock(lock_);
    asked_for_ = e;
    at_ = steady::now() + in;
    return e;
  }
  std::size_t poll() override {
    user_event e;
    {
      const std::scoped_lock lock(lock_);
      if (steady::now() < at_) return 0;
      e = std::exchange(asked_for_, user_event());
    }
    if (e != user_event()) e.trigger();
    return 0;
  }
  void fail(std::exception_ptr) noexcept override { CHECK(false); }

 private:
  std::mutex lock_;
  user_event asked_for_;
  steady::time_point at_;
};

/// Reports progress at each poll.
class plenty final : public module, public poller {
 public:
  std::string_view name() const noexcept override { return "plenty"; }
  void initialise(module_host& host) override { host.add_poller(*this); }

  void start() { add_pending(); }
  void end() { remove_pending(); }
  std::size_t poll() override {
    ++polls;
    return 1;
  }
  void fail(std::exception_ptr) noexcept override {}

  std::atomic<int> polls{0};
};

/// Another thread completes its operations and notifies.
class caller final : public module, public poller {
 public:
  std::string_view name() const noexcept override { return "caller"; }
  void initialise(module_host& host) override { host.add_poller(*this); }

  event start() {
    done_ = user_event::create();
    has_ended_ = promised = false;
    add_pending();
    return done_;
  }
  void end() {
    has_ended_ = true;
    poll_now();
  }
  std::size_t poll() override {
    ++polls;
    if (!has_ended_.exchange(false)) return 0;
    done_.trigger();
    remove_pending();
    return 1;
  }
  bool will_call() noexcept override {
    if (has_ended_) return false;
    promised = true;
    return true;
  }
  void fail(std::exception_ptr why) noexcept override { done_.poison(why); }

  std::atomic<int> polls{0};
  std::atomic<bool> promised{false};

 private:
  user_event done_;
  std::atomic<bool> has_ended_{false};
};

}  // namespace

TEST_CASE("a poller that has promised to call is not asked before it has called") {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    auto c = std::make_shared<caller>();
    runtime rt(with(c, workers));
    rt.run([&] {
      for (int round = 0; round < 5; ++round) {
        std::jthread other;
        const event e = c->start();
        other = std::jthread([&] {
          while (!c->promised) std::this_thread::yield();
          const int before = c->polls;
          std::this_thread::sleep_for(20ms);  // a thread that kept polling would do so hundreds of times
          // Each worker and the service thread may have been about to poll.
          CHECK(c->polls - before <= static_cast<int>(workers) + 1);
          c->end();
        });
        wait(e);
      }
    });
  }
}

TEST_CASE("while every worker is busy, a poller that calls is heard") {
  auto c = std::make_shared<caller>();
  runtime rt(with(c, 1));
  rt.run([&] {
    const event e = c->start();
    std::jthread other([&] {
      while (!c->promised) std::this_thread::yield();
      c->end();
    });
    while (!e.has_triggered()) std::this_thread::yield();
  });
}

TEST_CASE("many operations end by calls, however these fall between promises") {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    auto c = std::make_shared<caller>();
    runtime rt(with(c, workers));
    rt.run([&] {
      for (int i = 0; i < 2000; ++i) {
        const event e = c->start();
        std::jthread other;
        if (i % 100 == 0) other = std::jthread([&] { c->end(); });
        else c->end();
        wait(e);
      }
    });
  }
}

TEST_CASE("idle workers poll, and a task that waits for an operation goes on") {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    auto c = std::make_shared<countdown>();
    runtime rt(with(c, workers));
    for (int round = 0; round < 20; ++round)
      rt.run([&] {
        auto sum = async(after(c->start(5)), [] { return 7; });
        CHECK(sum.get() == 7);
      });
    CHECK(c->polls == 100);
  }
}

TEST_CASE("a poller with nothing pending is never asked") {
  auto c = std::make_shared<countdown>();
  runtime rt(with(c, 2));
  rt.run([&] {
    wait(c->start(3));
    CHECK(c->polls == 3);
    for (int i = 0; i < 2000; ++i) async([] {});
  });
  std::this_thread::sleep_for(5ms);
  CHECK(c->polls == 3);
}

TEST_CASE("while every worker is busy the service thread polls") {
  for (const std::uint32_t workers : {1u, 2u}) {
    auto c = std::make_shared<countdown>();
    runtime rt(with(c, workers));
    rt.run([&] {
      const event e = c->start(4);
      // No worker is idle until it has happened.
      for (std::uint32_t w = 0; w < workers; ++w)
        async(on(worker(w)), [e] {
          while (!e.has_triggered()) std::this_thread::yield();
        });
    });
    CHECK(c->polls == 4);
  }
}

TEST_CASE("while every worker is busy looks are rare, whatever they find, for each takes the processor from one") {
  auto p = std::make_shared<plenty>();
  runtime rt(with(p, 1));
  rt.run([&] {
    p->start();
    const auto begin = std::chrono::steady_clock::now();
    auto spent = begin - begin;
    int polls = 0;
    while (spent < 20ms || polls < 3) {
      polls = p->polls;  // before the clock is read: this thread may be interrupted in between
      spent = std::chrono::steady_clock::now() - begin;
    }
    CHECK(polls <= spent / 100us + 10);  // half of the longest pause of the service thread
    p->end();
  });
}

TEST_CASE("with every worker asleep, and nobody in run, an attached thread sees its operation end") {
  auto c = std::make_shared<countdown>();
  runtime rt(with(c, 2));
  std::thread outside([&] {
    attached_thread here(rt);
    for (int i = 0; i < 10; ++i) wait(c->start(3));
    CHECK(async([] { return 5; }).get() == 5);
  });
  rt.run([] {});
  outside.join();
  CHECK(c->polls == 30);
}

TEST_CASE("operations that tasks wait for at the end of a runtime are waited for, not forsaken") {
  for (const bool stepped : {false, true})
    for (const std::uint32_t workers : {1u, 2u, 4u}) {
      auto timer = std::make_shared<timer_module>();
      std::atomic<int> ran{0};
      {
        runtime rt(with(timer, workers, stepped));
        attached_thread here(rt);
        for (int i = 0; i < 10; ++i) {
          auto f = async(after(timer->sleep_for(std::chrono::milliseconds(i))), [&] { ++ran; });
        }
      }
      CHECK(ran == 10);
    }
}

TEST_CASE("an operation without end does not keep the runtime from ending: the module says what becomes of it") {
  auto timer = std::make_shared<timer_module>();
  event later;
  {
    runtime rt(with(timer, 2));
    rt.run([&] { later = timer->sleep_for(1h); });
    CHECK(timer->waiting() == 1);
  }
  CHECK(timer->waiting() == 0);
}

TEST_CASE("a wait for an event without a trigger is still found abandoned while a module exists") {
  for (const bool stepped : {false, true}) {
    auto timer = std::make_shared<timer_module>();
    std::exception_ptr why;
    {
      runtime rt(with(timer, 2, stepped));
      attached_thread here(rt);
      const user_event never = user_event::create();
      async([=, &why] {
        wait(timer->sleep_for(2ms));
        try {
          wait(never);
        } catch (...) {
          why = std::current_exception();
        }
      });
    }
    REQUIRE(why);
    try {
      std::rethrow_exception(why);
    } catch (const error& e) {
      CHECK(e.code() == "E14");
    }
  }
}

TEST_CASE("an exception of a poller is reported, its operations are poisoned with M05, and it is not polled again") {
  for (const bool stepped : {false, true}) {
    auto c = std::make_shared<countdown>();
    c->throws = true;
    runtime rt(with(c, 2, stepped));
    rt.run([&] {
      const event e = c->start(3);
      try {
        wait(e);
        FAIL("it did not throw");
      } catch (const error& x) {
        CHECK(std::string(x.what()) ==
              "error M05: polling failed, so the runtime cannot detect the end of these operations\n"
              "  because     the device is gone\n"
              "  try         fix the cause; poll() may throw only if its operations cannot continue");
      }
      CHECK(test::eventually([&] { return c->pending() == 0; }, [] { async([] {}).get(); }));  // after the event
      CHECK(c->polls == 3);
      c->add_pending();
      for (int i = 0; i < 100; ++i) async([] {});
    });
    CHECK(c->polls == 3);
  }
}

TEST_CASE("stepped, whoever steps polls, and step says that nothing is ready meanwhile") {
  auto c = std::make_shared<countdown>();
  runtime rt(with(c, 2, true));
  std::thread([&] {
    attached_thread here(rt);
    async(after(c->start(6)), [] {});
  }).join();
  int steps = 0, misses = 0;
  while (steps == 0 && misses < 100) ++(rt.step() ? steps : misses);
  CHECK(steps == 1);
  CHECK(c->polls == 6);
  CHECK(misses == 5);
}

TEST_CASE("many timers at once each end once") {
  for (const std::uint32_t workers : {1u, 2u, 4u})
    for (const bool stepped : {false, true}) {
      auto timer = std::make_shared<timer_module>();
      runtime rt(with(timer, workers, stepped));
      std::vector<int> order;
      rt.run([&] {
        const auto start = steady::now() + 2ms;
        std::vector<event> all;
        for (int i = 0; i < 50; ++i) {
          const int slot = (i * 7) % 50;
          const event e = timer->sleep_until(start + slot * 20us);
          all.push_back(async(after(e), on(worker(0)), [&order, slot] { order.push_back(slot); }));
        }
        wait(merge(all));
      });
      CHECK(order.size() == 50);
      std::sort(order.begin(), order.end());
      CHECK(std::adjacent_find(order.begin(), order.end()) == order.end());
      CHECK(rt.statistics().modules.at(0).count == 50);
    }
}

TEST_CASE("a sooner time wakes whoever sleeps until a later one") {
  auto timer = std::make_shared<timer_module>();
  runtime rt(with(timer, 2));
  rt.run([&] {
    const event later = timer->sleep_for(1h);
    std::this_thread::sleep_for(20ms);  // the service thread sleeps for the hour
    wait(timer->sleep_for(1ms));
    CHECK_FALSE(later.has_triggered());
  });
}

TEST_CASE("starting and ending runtimes with operations under way, over many seeds") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto timer = std::make_shared<timer_module>();
    std::atomic<int> ran{0};
    {
      runtime rt(with(timer, 1 + static_cast<std::uint32_t>(seed % 4), seed % 3 == 0, seed));
      rt.run([&] {
        for (int i = 0; i < 8; ++i)
          async([&, i] {
            wait(timer->sleep_for(std::chrono::microseconds((seed * 37 + static_cast<std::uint64_t>(i) * 61) % 400)));
            ++ran;
          });
      });
      CHECK(ran == 8);
      rt.run([&] { timer->sleep_for(1h); });
    }
  }
}

TEST_CASE("a task that waits for a polled operation goes on, although the poll reports no progress") {
  for (const std::uint32_t workers : {1u, 2u}) {
    const auto polled = std::make_shared<modest>();
    runtime rt(with(polled, workers));
    rt.run([&] {
      polled->begin();
      // About when a worker that finds nothing goes to sleep (50 microseconds).
      for (int i = 0; i < 4000; ++i) wait(polled->start(std::chrono::microseconds(40 + i % 30)));
      polled->end();
    });
  }
}
