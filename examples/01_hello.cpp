// 01_hello.cpp - two tasks, and a third that adds their results.
//
// This is the smallest program, and the first one to read. It starts a runtime, runs two tasks, and starts a third task
// after both have ended. A future carries the result of each task. Only the last line waits for a result. It helps
// readers who have never seen a program of Stretto.
//
// Output
//   42
#include <cstdio>
#include <stretto/stretto.hpp>

int main() {
  stretto::runtime rt;  // one worker per core
  rt.run([] {
    auto a = stretto::async([] { return 20; });
    auto b = stretto::async([] { return 22; });
    auto sum = stretto::async(stretto::after(a, b), [=] { return a.get() + b.get(); });
    std::printf("%d\n", sum.get());
  });
}
