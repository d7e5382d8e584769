// Three operations at the same time, and a task that runs when they have ended.
#include <starter/starter_module.hpp>
#include <stretto/stretto.hpp>

#include <cstdio>

int main() {
  stretto::runtime rt({.modules = {std::make_shared<starter::starter_module>()}});
  rt.run([] {
    auto& calls = stretto::this_runtimes<starter::starter_module>();
    auto a = calls.twice(1), b = calls.twice(4), c = calls.twice(16);
    auto sum = stretto::async(stretto::after(a, b, c), [=] { return a.get() + b.get() + c.get(); });
    std::printf("%d\n", sum.get());
  });
}
