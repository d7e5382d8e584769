#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <stretto/module.hpp>
#include <stretto/stretto.hpp>

#include "module/with_module.hpp"
#include "sched/scheduler.hpp"
#include "sched/wait_graph.hpp"

using namespace stretto;
using namespace std::chrono_literals;

namespace {

/// A worker's poll takes long, like that of a library that yields the core among busy processes. Operations end on
/// demand.
class slow_poller final : public module, public poller {
 public:
  std::string_view name() const noexcept override { return "slow"; }
  void initialise(module_host& host) override { host.add_poller(*this); }

  event start() {
    done_ = user_event::create();
    by_worker_ = std::this_thread::get_id();
    add_pending();
    return done_;
  }
  std::size_t poll() override {
    const bool is_worker = std::this_thread::get_id() == by_worker_;
    if (is_worker) std::this_thread::sleep_for(1ms);
    ++(is_worker ? polls_of_worker : polls_of_others);
    while (holds && !is_worker) is_held = true;
    is_held = false;
    if (!ends.exchange(false)) return 0;
    done_.trigger();
    remove_pending();
    return 1;
  }
  void fail(std::exception_ptr why) noexcept override { done_.poison(why); }

  std::atomic<int> polls_of_worker{0}, polls_of_others{0};
  std::atomic<bool> ends{false}, holds{false}, is_held{false};

 private:
  user_event done_;
  std::thread::id by_worker_;
};

}  // namespace

TEST_CASE("a worker that searches for work goes to sleep in time, however long a poll takes") {
  auto slow = std::make_shared<slow_poller>();
  runtime rt(test::with(slow, 1));
  rt.run([&] {
    const event e = slow->start();
    std::jthread other([&] {
      while (slow->polls_of_others < 20) std::this_thread::yield();
      CHECK(slow->polls_of_worker.load() < 10);  // one poll takes longer than a worker polls before it sleeps
      slow->ends = true;
    });
    wait(e);
  });
}

TEST_CASE("a runtime counts as quiet inside a poll for messages, but not inside other polls") {
  auto slow = std::make_shared<slow_poller>();
  runtime rt(test::with(slow, 1));
  rt.run([&] {
    const sched::scheduler& owner = *sched::this_thread()->owner;
    const event e = slow->start();
    slow->holds = true;
    std::jthread other([&] {
      while (!slow->is_held) std::this_thread::yield();
      while (!sched::activity_of(owner).is_quiet) std::this_thread::yield();
      CHECK(sched::activity_of(owner).waits_for_modules);
      CHECK_FALSE(sched::activity_of(owner, slow.get()).waits_for_modules);
      slow->ends = true;
      slow->holds = false;
    });
    wait(e);
  });
}
