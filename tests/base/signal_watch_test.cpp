#include "base/signal_watch.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/config.hpp"

using stretto::base::signal_watch;
using stretto::base::timed_watch;

namespace {

std::atomic<int> handled_by_another{0};
void another(int) { ++handled_by_another; }

struct sigaction handler_of(int number) {
  struct sigaction now;
  sigaction(number, nullptr, &now);
  return now;
}

/// Puts a handler in place for the time of a test.
struct foreign_handler {
  explicit foreign_handler(void (*f)(int)) {
    struct sigaction theirs {};
    theirs.sa_handler = f;
    sigaction(SIGUSR2, &theirs, &before);
  }
  ~foreign_handler() { sigaction(SIGUSR2, &before, nullptr); }
  struct sigaction before;
};

void wait_until_equal(const std::atomic<int>& n, int wanted) {
  while (n.load() != wanted) std::this_thread::yield();
}

}  // namespace

TEST_CASE("a signal runs the callback of its watch, on another thread, and no other") {
  std::atomic<int> first{0}, second{0};
  std::thread::id by;
  const signal_watch a(SIGUSR2, [&] { by = std::this_thread::get_id(), ++first; });
  const signal_watch b(SIGUSR1, [&] { ++second; });
  raise(SIGUSR2);
  wait_until_equal(first, 1);
  CHECK(by != std::this_thread::get_id());
  CHECK(second == 0);
  raise(SIGUSR1);
  wait_until_equal(second, 1);
  CHECK(first == 1);
}

TEST_CASE("every watch of a signal is called") {
  std::atomic<int> calls{0};
  const signal_watch a(SIGUSR2, [&] { ++calls; });
  auto b = std::make_unique<signal_watch>(SIGUSR2, [&] { ++calls; });
  raise(SIGUSR2);
  wait_until_equal(calls, 2);
  b.reset();
  raise(SIGUSR2);
  wait_until_equal(calls, 3);
}

TEST_CASE("a watch is not called for a signal that came before it, when another watch was there") {
  const foreign_handler ignored(SIG_IGN);
  std::atomic<int> calls{0}, asked{0};
  for (int i = 0; i < 3000; ++i) {
    {
      const signal_watch earlier(SIGUSR2, [] {});
      raise(SIGUSR2);
    }  // often before the thread has seen the signal
    const signal_watch other(SIGUSR1, [&] { ++asked; });  // starts the thread
    for (int pause = i % 100 * 40; pause > 0; --pause) stretto::base::relax();
    const signal_watch later(SIGUSR2, [&] { ++calls; });
    raise(SIGUSR1);
    wait_until_equal(asked, i + 1);
  }
  CHECK(calls == 0);
}

TEST_CASE("a watch that comes to others of its signal takes no signal from them") {
  std::atomic<int> calls{0};
  const signal_watch first(SIGUSR2, [&] { ++calls; });
  for (int i = 0; i < 300; ++i) {
    raise(SIGUSR2);
    const signal_watch second(SIGUSR2, [] {});
    wait_until_equal(calls, i + 1);
  }
}

TEST_CASE("the handler from before is called too, and is back when the last watch has gone") {
  const foreign_handler theirs(another);
  handled_by_another = 0;
  std::atomic<int> calls{0};
  {
    const signal_watch a(SIGUSR2, [&] { ++calls; });
    {
      const signal_watch b(SIGUSR2, [] {});
    }
    CHECK((handler_of(SIGUSR2).sa_handler != another));
    raise(SIGUSR2);
    wait_until_equal(calls, 1);
    CHECK(handled_by_another == 1);
  }
  CHECK((handler_of(SIGUSR2).sa_handler == another));
  raise(SIGUSR2);
  CHECK(handled_by_another == 2);
  CHECK(calls == 1);
}

TEST_CASE("a handler that someone puts on top stays there, and ours below it only passes on") {
  const foreign_handler below(another);
  handled_by_another = 0;
  static struct sigaction ours;
  std::atomic<int> calls{0};
  {
    const signal_watch a(SIGUSR2, [&] { ++calls; });
    ours = handler_of(SIGUSR2);
  }
  {
    const signal_watch a(SIGUSR2, [&] { ++calls; });
    const foreign_handler top([](int n) { ours.sa_sigaction(n, nullptr, nullptr); });
    raise(SIGUSR2);
    wait_until_equal(calls, 1);
  }
  std::unique_ptr<foreign_handler> top;
  {
    const signal_watch a(SIGUSR2, [&] { ++calls; });
    top = std::make_unique<foreign_handler>([](int n) { ours.sa_sigaction(n, nullptr, nullptr); });
  }
  const int before = handled_by_another;
  raise(SIGUSR2);
  CHECK(handled_by_another == before + 1);
  {
    const signal_watch again(SIGUSR2, [&] { ++calls; });  // found below the other
    raise(SIGUSR2);
    wait_until_equal(calls, 2);
  }
  top.reset();  // puts ours back, below which theirs still is
  raise(SIGUSR2);
  CHECK(handled_by_another == before + 3);
  {
    const signal_watch last(SIGUSR2, [&] { ++calls; });
  }
  CHECK((handler_of(SIGUSR2).sa_handler == another));
}

TEST_CASE("an exception of a callback ends neither the process nor the watch") {
  std::atomic<int> calls{0};
  const signal_watch a(SIGUSR2, [&] {
    ++calls;
    throw std::runtime_error("this line belongs to a test of signals");
  });
  raise(SIGUSR2);
  wait_until_equal(calls, 1);
  raise(SIGUSR2);
  wait_until_equal(calls, 2);
}

TEST_CASE("signals that come while watches come and go are answered or not, and nothing breaks") {
  const foreign_handler theirs(another);  // the last watch would give the signal back its meaning: the end
  std::atomic<bool> ends{false};
  std::atomic<int> alive{0}, too_late{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        auto lives = std::make_unique<std::atomic<bool>>(true);
        {
          const signal_watch w(SIGUSR2, [&, here = lives.get()] {
            if (!*here) ++too_late;
            ++alive;
          });
          std::this_thread::yield();
        }
        *lives = false;
      }
    });
  std::thread sender([&] {
    while (!ends) raise(SIGUSR2), std::this_thread::yield();
  });
  for (auto& t : threads) t.join();
  ends = true;
  sender.join();
  CHECK(too_late == 0);
  CHECK((handler_of(SIGUSR2).sa_handler == another));
}

TEST_CASE("a timed watch looks soon, again after what it asks for, and at once when called") {
  std::atomic<int> looks{0};
  timed_watch w([&] { return ++looks < 3 ? std::int64_t{1} : timed_watch::never; });
  wait_until_equal(looks, 3);
  w.call();
  wait_until_equal(looks, 4);
}

TEST_CASE("timed watches and signals share one thread, and none looks once it is destroyed") {
  std::atomic<int> first{0}, second{0}, calls{0};
  std::thread::id of_look, of_signal;
  auto a = std::make_unique<timed_watch>([&] {
    of_look = std::this_thread::get_id();
    ++first;
    return std::int64_t{1'000'000};
  });
  {
    const signal_watch b(SIGUSR2, [&] { of_signal = std::this_thread::get_id(), ++calls; });
    const timed_watch c([&] { return ++second, std::int64_t{1'000'000}; });
    raise(SIGUSR2);
    wait_until_equal(calls, 1);
    while (first < 3 || second < 3) std::this_thread::yield();
  }
  a.reset();
  CHECK(of_look == of_signal);
  const int last = first, others = second;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(first == last);
  CHECK(second == others);
}
