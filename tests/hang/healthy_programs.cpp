// Programs that do not hang, to be asked and looked at while they run.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "hang_programs.hpp"

namespace hang {
namespace {

int fib(int n) {
  if (n < 2) return n;
  const auto one = async([n] { return fib(n - 1); });
  const int other = fib(n - 2);
  return one.get() + other;
}

future<void> follow(event e) { co_await e; }

/// Everything that a report walks: made, waited for and gone again all the time.
void one_round() {
  const auto go = user_event::create();
  const auto both = barrier::create(8);
  const auto r = reservation::create();
  finish([=] {
    for (int i = 0; i < 8; ++i)
      async(name("member"), [=] {
        wait(go);
        both.arrive();
        wait(both);
        wait(r.acquire());
        r.release();
      });
    async(after(follow(go)), [] { fib(8); });
    promise<int> kept;
    async([wanted = kept.get_future()] { wanted.get(); });
    async(after(go), name("keeper"), [kept = std::move(kept)]() mutable { kept.set(1); });
    go.trigger();
  });
  both.destroy();
  r.destroy();
}

/// Whether a program may end: it has run for a while, and the file that HANG_MAY_END names is there.
class end_of_program {
 public:
  bool operator()() const {
    if (std::chrono::steady_clock::now() < earliest_) return false;
    const char* const file = std::getenv("HANG_MAY_END");
    return !file || std::filesystem::exists(file);
  }

 private:
  std::chrono::steady_clock::time_point earliest_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
};

void busy(runtime& rt) {
  const end_of_program ended;
  std::vector<std::thread> outside;
  std::atomic<int> left{2};  // one worker exists only as the caller of run: it stays until the others have ended
  for (int t = 0; t < 2; ++t)
    outside.emplace_back([&rt, &left, ended] {
      while (!ended()) {
        const attached_thread here(rt);
        wait(async(name("from outside"), [] { fib(6); }));
        finish([] { async([] { std::this_thread::yield(); }); });
      }
      --left;
    });
  rt.run([&left] {
    while (left > 0) one_round();
  });
  for (auto& t : outside) t.join();
  std::puts("ended");
}

/// Other runtimes start and end meanwhile.
void many_runtimes(runtime& rt) {
  const end_of_program ended;
  std::thread beside([ended] {
    while (!ended()) {
      runtime other({.workers = 2});
      other.run([] { one_round(); });
    }
  });
  rt.run([ended] {
    while (!ended()) one_round();
  });
  beside.join();
  std::puts("ended");
}

}  // namespace

const program healthy_programs[] = {{"busy", busy, 4}, {"busy_alone", busy, 1}, {"many_runtimes", many_runtimes}, {}};

}  // namespace hang
