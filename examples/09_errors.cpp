// 09_errors.cpp - a failure follows the dependences: later tasks are skipped, and a wait reports why.
//
// This program shows how errors travel. The task "read" throws, so the two tasks that depend on it are skipped. The
// code that waits for the last of them gets one error, which lists the chain of tasks and the first cause. It helps
// readers who have to handle failures in asynchronous code.
//
// The program also shows a task that runs in spite of a failure, a finish in which several tasks fail, and an event
// that the program poisons.
//
// Output
//   decode and show did not run
//   error E10: task "show" was skipped because task "read" failed
//     skipped     task "show", 09_errors.cpp:48
//     skipped     task "decode", 09_errors.cpp:47
//     failed      task "read", 09_errors.cpp:46
//     asked       09_errors.cpp:52
//     because     image.png ends after 12 of 80 bytes
//   at the root: image.png ends after 12 of 80 bytes
//   cleaned up although show was skipped
//   error S06: 3 tasks failed inside one finish
//   poisoned by hand: no more input
#include <atomic>
#include <cstdio>
#include <stdexcept>

#include <stretto/stretto.hpp>

using namespace stretto;

// Whatever is thrown where a task or an event is waited for.
template <class Work>
void print_failure(const char* before, Work&& work) {
  try {
    work();
  } catch (const std::exception& e) {
    std::printf("%s%s\n", before, e.what());
  }
}

int main() {
  runtime rt;
  rt.run([] {
    std::atomic<bool> ran{false};
    const auto fail = [] { throw std::runtime_error("image.png ends after 12 of 80 bytes"); };

    auto read = async(name("read"), fail);
    auto decode = async(after(read), name("decode"), [&ran] { ran = true; });
    auto show = async(after(decode), name("show"), [&ran] { ran = true; });
    // What must run in any case waits for an event that no failure reaches.
    auto clean = async(after(ignore_failure(show)), [] { return "cleaned up although show was skipped"; });
    try {
      show.get();
    } catch (const poisoned& e) {
      std::printf("decode and show %s\n%s\n", ran ? "ran" : "did not run", e.what());
      print_failure("at the root: ", [&e] { std::rethrow_exception(e.root()); });
    }
    std::printf("%s\n", clean.get());

    // A finish reports what nobody waited for: one failure as it is, several as one error with the first.
    try {
      finish([&] {
        for (int i = 0; i < 3; ++i) async(fail);
      });
    } catch (const error& e) {
      std::printf("error %s: %s\n", e.code().c_str(), e.sentence().c_str());
    }

    const user_event input = user_event::create();
    input.poison(std::make_exception_ptr(std::runtime_error("no more input")));
    print_failure("poisoned by hand: ", [&] { wait(input); });
  });
}
