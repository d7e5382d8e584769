// How long after a put does its task run: async_when against tasks that read their element and yield, in turn in one
// process. And what other tasks pay for conditions that stay pending.
//
//     oshrun -n 1 shmem_async_when_bench [ROUNDS]
#include <stretto_shmem/shmem_module.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace stretto;
using shmem::comparison;
using clock_type = std::chrono::steady_clock;

namespace {

std::shared_ptr<shmem_module> net;

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

/// Nanoseconds from the put to the end of its task, for each of the elements. `wait` makes the task of an element.
template <class Wait>
double latency(long* elements, std::size_t n, Wait&& wait) {
  std::fill_n(elements, n, 0);
  std::vector<future<void>> tasks;
  for (std::size_t i = 0; i < n; ++i) tasks.push_back(wait(elements + i));
  std::vector<double> all;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = (k * 7919 + n / 2) % n;  // n is no multiple of this prime
    const auto begin = clock_type::now();
    net->put(elements + i, 1L, net->pe());
    tasks[i].get();
    all.push_back(std::chrono::duration<double, std::nano>(clock_type::now() - begin).count());
  }
  return median(std::move(all));
}

double of_async_when(long* elements, std::size_t n) {
  return latency(elements, n, [](long* at) { return net->async_when(at, comparison::not_equal, 0, [] {}); });
}
double of_polling_tasks(long* elements, std::size_t n) {
  return latency(elements, n, [](long* at) {
    return async([at] {
      while (*static_cast<volatile long*>(at) == 0) yield();
    });
  });
}

/// Nanoseconds of a task that another one spawns and waits for.
double of_tasks(int n) {
  const auto begin = clock_type::now();
  for (int i = 0; i < n; ++i) async([] {}).get();
  return std::chrono::duration<double, std::nano>(clock_type::now() - begin).count() / n;
}

void compare_latencies(long* elements, int rounds) {
  std::printf("conditions  async_when ns  polling tasks ns  ratio\n");
  for (const std::size_t n : {1, 10, 100, 1000}) {
    std::vector<double> ours, theirs, ratios;
    for (int r = 0; r < rounds; ++r) {
      ours.push_back(of_async_when(elements, n));
      theirs.push_back(of_polling_tasks(elements, n));
      ratios.push_back(ours.back() / theirs.back());
    }
    std::printf("%10zu  %13.0f  %16.0f  %5.3f\n", n, median(ours), median(theirs), median(ratios));
  }
}

void compare_pending(long* elements, int rounds) {
  std::printf("pending     a task ns   a condition more ns\n");
  for (const std::size_t n : {0, 100, 1000, 10'000}) {
    std::fill_n(elements, n + 1, 0);
    std::vector<future<void>> pending;
    for (std::size_t i = 0; i < n; ++i)
      pending.push_back(net->async_when(elements + i, comparison::not_equal, 0, [] {}));
    std::vector<double> tasks, conditions;
    for (int r = 0; r < rounds; ++r) {
      tasks.push_back(of_tasks(10'000));
      for (int i = 0; i < 20; ++i) conditions.push_back(of_async_when(elements + n, 1));
    }
    std::printf("%7zu  %12.0f  %20.0f\n", n, median(tasks), median(conditions));
    std::fill_n(elements, n, 1);
    for (auto& p : pending) p.get();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 11;
  net = std::make_shared<shmem_module>();
  runtime rt({.modules = {net}});
  rt.run([&] {
    long* const elements = net->allocate<long>(10'001).get();
    compare_latencies(elements, rounds);
    compare_pending(elements, rounds);
  });
}
