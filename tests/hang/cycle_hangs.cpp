// Work that waits for itself.
#include <memory>

#include "hang_programs.hpp"

namespace hang {
namespace {

void two_tasks(runtime& rt) {
  rt.run([] {
    struct shared {
      future<void> first, second;
    };
    const auto both = std::make_shared<shared>();
    const auto go = user_event::create();
    both->first = async(name("first"), [both, go] {
      wait(go);
      wait(both->second);  // GUILTY two_tasks
    });
    both->second = async(name("second"), [both, go] {
      wait(go);
      wait(both->first);  // NAMED two_tasks
    });
    go.trigger();
  });
}

void own_future(runtime& rt) {
  rt.run([] {
    const auto self = std::make_shared<future<void>>();
    const auto go = user_event::create();
    *self = async(name("narcissus"), [self, go] {
      wait(go);
      wait(event(*self));  // GUILTY own_future
    });
    go.trigger();
  });
}

void own_finish(runtime& rt) {
  rt.run([] {
    const auto self = std::make_shared<future<void>>();
    const auto go = user_event::create();
    *self = async(name("opener"), [self, go] {
      wait(go);
      finish([self] {
        async(name("inside"), [self] { wait(event(*self)); });  // GUILTY own_finish
      });
    });
    go.trigger();
  });
}

void through_an_event(runtime& rt) {
  rt.run([] {
    const auto done = user_event::create();
    const auto work = async(after(done), name("work"), [] {});  // GUILTY through_an_event
    done.trigger(work);
  });
}

}  // namespace

const program cycle_hangs[] = {{"two_tasks", two_tasks},
                               {"own_future", own_future},
                               {"own_finish", own_finish},
                               {"through_an_event", through_an_event},
                               {}};

}  // namespace hang
