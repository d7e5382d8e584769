// Programs that may or may not hang: the report shows the state and names no cause.
#include <pthread.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "base/context.hpp"
#include "event/holder_record.hpp"
#include "hang_programs.hpp"

namespace hang {
namespace {

void alone(runtime& rt) {
  rt.run([] {
    async(name("hermit"), [] { std::this_thread::sleep_for(std::chrono::hours(1)); });  // GUILTY alone
  });
}

void outside_thread(runtime& rt) {
  rt.run([&rt] {
    const auto late = user_event::create();  // GUILTY outside_thread
    std::thread([&rt] {
      const attached_thread here(rt);  // NAMED outside_thread
      std::this_thread::sleep_for(std::chrono::hours(1));
    }).detach();
    wait(late);
  });
}

/// A lock that the runtime does not know: only the stacks show it.
void foreign_lock(runtime& rt) {
  rt.run([] {
    const auto lock = std::make_shared<std::mutex>();
    const auto taken = user_event::create();
    async(name("keeper"), [lock, taken] {
      lock->lock();
      taken.trigger();
    });
    async(after(taken), name("second"), [lock] { lock->lock(); });  // GUILTY foreign_lock
  });
}

/// An outside thread has a reservation, and something that a floor above the events handed it.
void held_outside(runtime& rt) {
  rt.run([&rt] {
    const auto tally = reservation::create();
    const auto given_back = user_event::create(), taken = user_event::create();
    std::thread([&rt, tally, given_back, taken] {
      const attached_thread here(rt);
      pthread_setname_np(pthread_self(), "reader");
      wait(tally.acquire());  // NAMED held_outside
      const detail::holder_record mark(*base::current()->runtime, given_back, "view of \"u\"", "",
                                       std::source_location::current());  // GUILTY held_outside
      taken.trigger();
      std::this_thread::sleep_for(std::chrono::hours(1));
    }).detach();
    wait(taken);
    async(name("writer"), [tally] { wait(tally.acquire()); });
    async(after(given_back), name("second writer"), [] {});
  });
}

/// Waits for the file of the report, or for two seconds if there will be none.
void wait_for_report() {
  const char* const report = std::getenv("STRETTO_STUCK_FILE");
  std::this_thread::sleep_for(report ? std::chrono::milliseconds(20) : std::chrono::seconds(2));
  while (report && !std::filesystem::exists(report)) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

/// Not a hang at all: goes on as soon as it has been reported.
void slow_but_healthy(runtime& rt) {
  rt.run([&rt] {
    const auto late = user_event::create();  // GUILTY slow_but_healthy
    std::thread outside([&rt, late] {
      wait_for_report();
      const attached_thread here(rt);
      late.trigger();
    });
    wait(late);
    outside.join();
  });
  std::puts("ended");
}

}  // namespace

const program unproven_hangs[] = {{"alone", alone},
                                  {"outside_thread", outside_thread},
                                  {"foreign_lock", foreign_lock},
                                  {"held_outside", held_outside},
                                  {"slow_but_healthy", slow_but_healthy},
                                  {}};

}  // namespace hang
