// Whatever moves between stacks and threads: a sanitizer of the program's own finds nothing wrong with it.
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <stretto/stretto.hpp>
#include <string>
#include <vector>

namespace {

int fibonacci(int n) {
  if (n < 2) return n;
  auto a = stretto::async([n] { return fibonacci(n - 1); });
  const int b = fibonacci(n - 2);
  return a.get() + b;
}

/// Throws after it has been suspended, perhaps on another thread, with objects on its stack to destroy.
std::size_t caught_after_yields(int tasks) {
  std::size_t caught = 0;
  for (int i = 0; i < tasks; ++i) try {
      stretto::async([i] {
        const std::string name(100, static_cast<char>('a' + i % 26));
        stretto::yield();
        throw std::runtime_error(name);
      }).get();
    } catch (const std::runtime_error& e) {
      caught += std::string(e.what()).size() == 100;
    }
  return caught;
}

/// Each task suspends until the one before it has ended.
int chained(int tasks) {
  std::vector<stretto::user_event> steps(static_cast<std::size_t>(tasks) + 1);
  for (auto& e : steps) e = stretto::user_event::create();
  std::vector<int> seen;
  stretto::finish([&] {
    for (std::size_t i = 0; i + 1 < steps.size(); ++i)
      stretto::async([&, i] {
        stretto::wait(steps[i]);
        seen.push_back(static_cast<int>(i));
        steps[i + 1].trigger();
      });
    steps[0].trigger();
  });
  return std::accumulate(seen.begin(), seen.end(), 0);
}

int promised() {
  stretto::promise<std::vector<int>> p;
  auto f = p.get_future();
  auto sum = stretto::async([f] { return std::accumulate(f.get().begin(), f.get().end(), 0); });
  stretto::async([p = std::move(p)]() mutable { p.set(std::vector<int>(50, 2)); });
  return sum.get();
}

}  // namespace

int main() {
  stretto::runtime rt({.workers = 3});
  rt.run([] {
    std::printf("%d\n", fibonacci(15));
    std::printf("%zu\n", caught_after_yields(1000));
    std::printf("%d\n", chained(100));
    std::printf("%d\n", promised());
  });
}
