// Events and promises that are never ended. GUILTY marks the line that the report must name.
#include "base/context.hpp"
#include "event/holder_record.hpp"
#include "hang_programs.hpp"

namespace hang {
namespace {

void forgotten_event(runtime& rt) {
  rt.run([] {
    const auto never = user_event::create();  // GUILTY forgotten_event
    wait(never);
  });
}

void forgotten_precondition(runtime& rt) {
  rt.run([] {
    const auto never = user_event::create();  // GUILTY forgotten_precondition
    async(after(never), name("reader"), [] {});
  });
}

void behind_many(runtime& rt) {
  rt.run([] {
    const auto never = user_event::create();  // GUILTY behind_many
    auto last = async(after(never), [] {});
    for (int i = 0; i < 20; ++i) last = async(after(last), [] {});
    async(name("last"), [last] { wait(last); });
  });
}

void behind_a_merge(runtime& rt) {
  rt.run([] {
    const auto a = user_event::create(), b = user_event::create(), c = user_event::create();
    const auto never = user_event::create();  // GUILTY behind_a_merge
    const event parts[] = {a, never, b, c};
    const event whole = merge(parts);
    async([a, b, c] {
      a.trigger();
      b.trigger();
      c.trigger();
    });
    wait(whole);
  });
}

void kept_promise(runtime& rt) {
  rt.run([] {
    promise<int> answer;  // GUILTY kept_promise
    const future<int> wanted = answer.get_future();
    wait(async(name("asker"), [wanted] { return wanted.get(); }));
  });
}

void waiting_coroutine(runtime& rt) {
  rt.run([] {
    const auto never = user_event::create();  // GUILTY waiting_coroutine
    const auto wait_for = [](event e) -> future<void> { co_await e; };
    wait(wait_for(never));
  });
}

void many_waiters(runtime& rt) {
  rt.run([] {
    const auto never = user_event::create();  // GUILTY many_waiters
    for (int i = 0; i < 50; ++i) async([never] { wait(never); });
  });
}

/// The task that waits keeps a thing that a floor above the events handed out, and that the awaited work needs.
void held_while_waiting(runtime& rt) {
  rt.run([] {
    const auto given_back = user_event::create();
    wait(async(name("keeper"), [given_back] {
      const detail::holder_record mark(*base::current()->runtime, given_back, "view of \"u\"", "task \"keeper\"",
                                       std::source_location::current());  // GUILTY held_while_waiting
      wait(async(after(given_back), name("writer"), [] {}));              // NAMED held_while_waiting
    }));
  });
}

}  // namespace

const program event_hangs[] = {{"forgotten_event", forgotten_event},
                               {"forgotten_precondition", forgotten_precondition},
                               {"behind_many", behind_many},
                               {"behind_a_merge", behind_a_merge},
                               {"kept_promise", kept_promise},
                               {"waiting_coroutine", waiting_coroutine},
                               {"many_waiters", many_waiters},
                               {"held_while_waiting", held_while_waiting},
                               {}};

}  // namespace hang
