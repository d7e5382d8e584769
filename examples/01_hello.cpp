// 01_hello.cpp - two tasks, and a third that starts when both have ended.
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
