// Threads that are no workers, and work that no thread comes by.
#include <chrono>
#include <memory>
#include <thread>

#include "base/driver_threads.hpp"
#include "hang_programs.hpp"

namespace hang {
namespace {

void blocked_outside(runtime& rt) {
  const attached_thread here(rt);           // NAMED blocked_outside
  const auto never = user_event::create();  // GUILTY blocked_outside
  wait(never);
}

void blocked_in_finish(runtime& rt) {
  const attached_thread here(rt);           // NAMED blocked_in_finish
  const auto never = user_event::create();  // GUILTY blocked_in_finish
  finish([never] { async(after(never), name("inside"), [] {}); });
}

void bound_to_nobody(runtime& rt) {
  const attached_thread here(rt);
  wait(async(on(worker(0)), name("bound"), [] {}));  // GUILTY bound_to_nobody
}

/// The thread outside holds what the body of run waits for, and waits for the body.
void each_other(runtime& rt) {
  const auto of_outside = std::make_shared<user_event>(), of_body = std::make_shared<user_event>();
  rt.run([=, &rt] {
    *of_outside = user_event::create();
    *of_body = user_event::create();  // GUILTY each_other
    std::thread([=, &rt] {
      const attached_thread here(rt);
      wait(*of_body);  // NAMED each_other
      of_outside->trigger();
    }).detach();
    wait(*of_outside);
    of_body->trigger();
  });
}

/// The lower task waits for the one on top of it, which waits for the lower one.
void on_top(runtime& rt) {
  rt.run([] {
    const auto lower = std::make_shared<future<void>>();
    const auto go = user_event::create();
    *lower = async(name("lower"), [lower, go] {
      wait(go);
      const auto upper = async(name("upper"), [lower] {
        wait(event(*lower));  // NAMED on_top
      });
      wait(upper);  // GUILTY on_top
    });
    go.trigger();
  });
}

/// The body of run below a task below another, all on one stack.
void piled_up(runtime& rt) {
  rt.run([] {
    const auto never = user_event::create();  // GUILTY piled_up
    const auto middle = async(name("middle"), [never] {
      const auto top = async(name("top"), [never] {
        wait(never);  // NAMED piled_up
      });
      wait(top);  // NAMED piled_up
    });
    wait(middle);  // NAMED piled_up
  });
}

/// Threads of a driver do what they are given, and nothing is.
void beside_a_driver(runtime& rt) {
  {
    const base::driver_threads here;
    for (int i = 0; i < 2; ++i) std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
  }
  rt.run([] {
    const auto never = user_event::create();  // GUILTY beside_a_driver
    wait(never);
  });
}

}  // namespace

const program thread_hangs[] = {{"blocked_outside", blocked_outside},
                                {"blocked_in_finish", blocked_in_finish},
                                {"bound_to_nobody", bound_to_nobody},
                                {"each_other", each_other},
                                {"on_top", on_top, 1},
                                {"piled_up", piled_up, 1},
                                {"beside_a_driver", beside_a_driver},
                                {}};

}  // namespace hang
