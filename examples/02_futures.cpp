// 02_futures.cpp - results of tasks by future and promise, and a finish that waits for all tasks inside it.
//
// This program shows four ways to get values from tasks. A task waits for the futures of its children. A promise is set
// by another task. A finish waits for all tasks that were spawned inside it, directly or by other tasks. A value is
// moved out of the last future that refers to it. It helps readers who know tasks of OpenMP, or futures of the standard
// library.
//
// A task that waits is suspended, and its worker runs other tasks meanwhile.
//
// Output
//   fib(20) = 6765
//   a promise kept by another task: 7
//   1000 squares sum to 332833500
//   the longest word is "preconditions"
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include <stretto/stretto.hpp>

using stretto::async;
using stretto::finish;

// A task waits for its children by suspending; its worker goes on with other tasks.
int fib(int n) {
  if (n < 2) return n;
  auto left = async([n] { return fib(n - 1); });
  const int right = fib(n - 2);
  return left.get() + right;
}

int main() {
  stretto::runtime rt;
  rt.run([] {
    std::printf("fib(20) = %d\n", fib(20));

    stretto::promise<int> promise;
    auto answer = promise.get_future();
    async([promise = std::move(promise)]() mutable { promise.set(7); });
    std::printf("a promise kept by another task: %d\n", answer.get());

    // Tasks may spawn tasks: finish waits for those too. Each writes an element of its own.
    std::vector<long> squares(1000);
    finish([&] {
      for (std::size_t block = 0; block < squares.size(); block += 100)
        async([&squares, block] {
          for (std::size_t i = block; i < block + 100; ++i)
            async([&squares, i] { squares[i] = static_cast<long>(i * i); });
        });
    });
    std::printf("1000 squares sum to %ld\n", std::accumulate(squares.begin(), squares.end(), 0L));

    // A value may be moved out of the last future.
    auto words = async([] { return std::vector<std::string>{"tasks", "preconditions", "events"}; });
    const std::vector<std::string> all = std::move(words).get();
    const std::string* longest = &all[0];
    for (const auto& word : all)
      if (word.size() > longest->size()) longest = &word;
    std::printf("the longest word is \"%s\"\n", longest->c_str());
  });
}
