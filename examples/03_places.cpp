// 03_places.cpp - on which worker a task runs, and which ready task runs first.
//
// This program shows how tasks are placed and ordered. The tag on() binds a task to a worker or to a place of the
// machine. The tag at() says only where it is queued: an idle worker may steal it. Among tasks that are ready, a higher
// priority runs first. It helps readers who care about caches or about latency.
//
// The first part runs on a machine that a text describes, so that it prints the same everywhere. Without such a text,
// the runtime uses the real machine.
//
// Output
//   machine: 2 workers, at core_0 and core_1
//   on(worker(i)) ran on worker i: 2 of 2, also after waiting
//   on(place) ran at its home: yes
//   at(place) ran: 8 of 8
//   by priority: urgent usual background
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>

#include <stretto/stretto.hpp>

using namespace stretto;

// Two workers, whatever the machine is: places are nodes of a graph, and the graph may be given.
void at_places() {
  auto machine = std::make_shared<const platform>(platform::synthetic("pack:1 l3:1 core:2 pu:1"));
  runtime rt({.workers = 2, .machine = machine});
  rt.run([&] {
    std::printf("machine: %u workers, at %s and %s\n", rt.workers(), machine->name(machine->home(0)).c_str(),
                machine->name(machine->home(1)).c_str());

    // A task that is bound stays where it is, also when it has to wait.
    std::atomic<int> kept{0};
    finish([&] {
      for (std::uint32_t i = 0; i < 2; ++i)
        async(on(worker(i)), name("bound"), [&kept, i] {
          const bool before = this_worker() == i;
          async(on(worker(1 - i)), [] {}).get();
          kept += before && this_worker() == i;
        });
    });
    std::printf("on(worker(i)) ran on worker i: %d of 2, also after waiting\n", kept.load());

    const place second = machine->home(1);
    auto where = async(on(second), [] { return this_worker(); });
    std::printf("on(place) ran at its home: %s\n", machine->home(where.get()) == second ? "yes" : "no");

    // at() is where it goes first; an idle worker may steal it from there.
    std::atomic<int> ran{0};
    finish([&] {
      for (int i = 0; i < 8; ++i) async(at(second), [&ran] { ++ran; });
    });
    std::printf("at(place) ran: %d of 8\n", ran.load());
  });
}

// With one worker the order is certain: what is ready at the same time goes by priority.
void by_priority() {
  runtime rt({.workers = 1});
  rt.run([] {
    std::string order;
    const user_event go = user_event::create();
    finish([&] {
      async(after(go), priority(-10), name("background"), [&order] { order += " background"; });
      async(after(go), name("usual"), [&order] { order += " usual"; });
      async(after(go), priority(10), name("urgent"), [&order] { order += " urgent"; });
      go.trigger();
    });
    std::printf("by priority:%s\n", order.c_str());
  });
}

int main() {
  at_places();
  by_priority();
}
