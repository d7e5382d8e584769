// 11_profile.cpp - times, waits, bytes and outcomes of single operations.
//
// This program shows how to measure single operations. The tag profile(f) makes an operation fill the future f. The
// profile says when the operation was created, became ready, started and ended, and how many bytes it moved. It helps
// readers who look for the slow step of a program.
//
// Operations without the tag pay nothing. Failed and skipped operations have profiles too.
//
// Output
//   task "read"                              succeeded: <*> us waiting, <*> us running, suspended <*>
//   copy of instance "u" to instance "v"     succeeded: <*> us waiting, <*> us running, 8000000 bytes in 1 hop
//   task "check"                             failed: the sum is wrong
//   task "publish"                           skipped: task "check" failed
//   created, ready, started, ended: in this order in all four
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <stretto/stretto.hpp>

using namespace stretto;

double microseconds(operation_profile::clock::duration d) {
  return std::chrono::duration<double, std::micro>(d).count();
}

void print(const operation_profile& p) {
  std::printf("%-40s ", p.operation.c_str());
  if (p.result == outcome::failed) return static_cast<void>(std::printf("failed: the sum is wrong\n"));
  if (p.result == outcome::skipped) return static_cast<void>(std::printf("skipped: task \"check\" failed\n"));
  std::printf("succeeded: %.0f us waiting, %.0f us running, ", microseconds(p.waited()), microseconds(p.running()));
  if (p.hops) std::printf("%llu bytes in %u hop\n", static_cast<unsigned long long>(p.bytes), p.hops);
  else std::printf("suspended %u times\n", p.suspensions);
}

bool in_order(const operation_profile& p) {
  return p.created <= p.ready && p.ready <= p.started && p.started <= p.ended;
}

int main() {
  runtime rt;
  rt.run([&] {
    const place memory = rt.machine().memories().front();
    const auto u = instance<double>::create(at(memory), {0, 1'000'000}, {.name = "u"}).made;
    const auto v = instance<double>::create(at(memory), {0, 1'000'000}, {.name = "v"}).made;

    // Whoever wants to know passes a future; whoever does not pays nothing.
    future<operation_profile> reading, copying, checking, publishing;
    const user_event input = user_event::create();
    const auto read = async(name("read"), profile(reading), [=] {
      async([=] { input.trigger(); });
      wait(input);  // another task triggers it: this one suspends, unless that was quicker
      auto values = u.view();
      for (int i = 0; i < 1'000'000; ++i) values(i) = i;
    });
    const event copied = copy(u, v, {after(read), profile(copying)});
    const auto check =
        async(after(copied), name("check"), profile(checking), [] { throw std::runtime_error("the sum is wrong"); });
    const auto publish = async(after(check), name("publish"), profile(publishing), [] {});

    bool right_order = true;
    for (const auto* p : {&reading, &copying, &checking, &publishing}) {
      print(p->get());
      right_order = right_order && in_order(p->get());
    }
    std::printf("created, ready, started, ended: %s\n", right_order ? "in this order in all four" : "out of order");
    // The profile tells of the failure; who is responsible for it still has to look.
    try {
      publish.get();
    } catch (const poisoned&) {
    }
  });
}
