// 1_hello.cpp - a runtime, two tasks that run at the same time, and a third that needs the results of both.
#include <cstdio>
#include <stretto/stretto.hpp>

using namespace stretto;

long sum_of_squares(long first, long last) {
  long sum = 0;
  for (long i = first; i < last; ++i) sum += i * i;
  return sum;
}

int main() {
  runtime rt;  // starts one worker thread per core
  rt.run([] {  // runs this function as a task, and returns when all tasks that it spawned have ended
    future<long> low = async([] { return sum_of_squares(0, 500'000); });
    future<long> high = async([] { return sum_of_squares(500'000, 1'000'000); });
    future<long> both = async(after(low, high), [=] { return low.get() + high.get(); });
    std::printf("the sum is %ld\n", both.get());
  });
}
