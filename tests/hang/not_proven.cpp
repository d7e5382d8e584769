// Programs of which nobody can know: the report shows the state and accuses nobody.
#include <chrono>
#include <memory>
#include <thread>

#include "hang.hpp"

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
      const attachment here(rt);
      std::this_thread::sleep_for(std::chrono::hours(1));
    }).detach();
    wait(late);
  });
}

void blocked_outside(runtime& rt) {
  const attachment here(rt);
  const auto never = user_event::create();  // GUILTY blocked_outside
  wait(never);
}

/// Not a hang at all: goes on as soon as it has been reported.
void slow_but_healthy(runtime& rt) {
  rt.run([&rt] {
    const auto late = user_event::create();  // GUILTY slow_but_healthy
    std::thread outside([&rt, late] {
      std::this_thread::sleep_for(std::chrono::seconds(2));
      const attachment here(rt);
      late.trigger();
    });
    wait(late);
    outside.join();
  });
  std::puts("ended");
}

}  // namespace

const program not_proven[] = {{"alone", alone},
                              {"outside_thread", outside_thread},
                              {"blocked_outside", blocked_outside},
                              {"slow_but_healthy", slow_but_healthy},
                              {}};

}  // namespace hang
