// 05_events.cpp - deferred execution: a graph of tasks that starts when an event triggers.
//
// This program shows events, on which everything else in Stretto builds. It creates four tasks in a diamond behind an
// event, before any of them may run. Then it triggers the event, and the tasks run in the order of their preconditions.
// It helps readers who know streams and events of CUDA, or MPI requests.
//
// An operation takes events as preconditions and returns an event or a future, so a program can submit work ahead of
// time. An event may also take its outcome from another event that is known only later.
//
// Output
//   laid out: 0 of 4 steps have run
//   read, filter left, filter right, write
//   the door waits for the key: yes
//   entered
//   the default event has happened: yes
#include <array>
#include <atomic>
#include <cstdio>
#include <string>

#include <stretto/stretto.hpp>

using stretto::after;
using stretto::async;
using stretto::event;
using stretto::user_event;

int main() {
  stretto::runtime rt;
  rt.run([] {
    std::array<std::atomic<int>, 4> place_of{};  // when each step ran: 1 is first
    std::atomic<int> steps_run{0};
    const auto step = [&](int i) { place_of[i] = ++steps_run; };

    // A diamond of tasks behind an event that the program triggers. Nothing waits here.
    const user_event start = user_event::create();
    const event read = async(after(start), [&] { step(0); });
    const event left = async(after(read), [&] { step(1); });
    const event right = async(after(read), [&] { step(2); });
    const event write = async(after(stretto::merge(left, right)), [&] { step(3); });
    std::printf("laid out: %d of 4 steps have run\n", steps_run.load());

    start.trigger();
    stretto::wait(write);
    // left and right may run in either order, or at once.
    const bool right_order = place_of[0] == 1 && place_of[1] < 4 && place_of[2] < 4 && place_of[3] == 4;
    std::printf("%s\n", right_order ? "read, filter left, filter right, write" : "out of order");

    // An event may take its ending from another, given later: whoever waits for `door` need not know for whose key.
    const user_event door = user_event::create(), key = user_event::create();
    auto entered = async(after(door), [] { return "entered"; });
    door.trigger(key);
    std::printf("the door waits for the key: %s\n", door.has_triggered() ? "no" : "yes");
    key.trigger();
    std::printf("%s\n", entered.get());

    std::printf("the default event has happened: %s\n", event().has_triggered() ? "yes" : "no");
  });
}
