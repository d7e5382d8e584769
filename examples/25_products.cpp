// 25_products.cpp - mobile objects that send each other arrays which are still being computed.
//
// This program shows objects as arguments of messages. Two mobile objects each launch a product of matrices on a
// device. Each sends its product to the other, whose handler multiplies its own product by it. Handlers may return
// before their kernels run, because the data of an array follow its message. It helps readers who combine messages with
// devices.
//
// Started alone, the program simulates two nodes in one process, each with the devices of STRETTO_DEVICES or one
// simulated device. `stretto run -n 2 25_products` starts two processes instead.
//
// Source      the exchange of two products in figure 5 of the PREMA paper on heterogeneous tasking.
//
// Output
//   N0: its product times that of the other, off by 0
//   N1: its product times that of the other, off by 0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;
using matrix = object<float, 2>;

constexpr coordinate n = 48;
const box whole({0, 0}, {n, n});

STRETTO_KERNEL(small_numbers, (out<float, 2> x, int seed), {
  int i = global_id(0), j = global_id(1);
  x(i, j) = (float)((i * 7 + j * 3 + seed) % 5 - 2);
})
STRETTO_KERNEL(multiply, (in<float, 2> a, in<float, 2> b, out<float, 2> c, int n), {
  int i = global_id(0), j = global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a(i, k) * b(k, j);
  c(i, j) = sum;
})

struct multiplier {
  matrix own, both;

  void begin(int seed) {
    matrix a(whole), b(whole);
    own = matrix(whole);
    launch(small_numbers, whole, a, seed);
    launch(small_numbers, whole, b, seed + 1);
    launch(multiply, whole, a, b, own, (int)n);
  }
  void give(mobile<multiplier> to) const { send(to, call<&multiplier::take>(own)); }
  void take(matrix of_other) {
    both = matrix(whole);
    launch(multiply, whole, own, of_other, both, (int)n);
  }
  std::vector<float> result() const {
    std::vector<float> all(n * n);
    wait(both.copy_to(all.data()));
    return all;
  }
  template <class Archive>
  friend void fields(Archive& a, archived<multiplier, Archive>& m) {
    a(m.own, m.both);
  }
};

std::vector<float> times(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> c(n * n);
  for (coordinate i = 0; i < n; ++i)
    for (coordinate k = 0; k < n; ++k)
      for (coordinate j = 0; j < n; ++j)
        c[std::size_t(i * n + j)] += a[std::size_t(i * n + k)] * b[std::size_t(k * n + j)];
  return c;
}
std::vector<float> numbers(int seed) {
  std::vector<float> x;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) x.push_back(float((i * 7 + j * 3 + seed) % 5 - 2));
  return x;
}

void program() {
  if (this_node() != 0) return;  // the other serves, until the job is over
  const auto first = make_mobile<multiplier>(at_node(0)), second = make_mobile<multiplier>(at_node(job_nodes() - 1));
  const auto begun = {send(first, call<&multiplier::begin>(1)), send(second, call<&multiplier::begin>(10))};
  for (const auto& b : begun) b.get();  // the handlers have returned, perhaps before any kernel has begun
  finish([&] {
    send(first, call<&multiplier::give>(second));
    send(second, call<&multiplier::give>(first));
  });
  const auto a = times(numbers(1), numbers(2)), b = times(numbers(10), numbers(11));
  for (const bool is_first : {true, false}) {
    const auto got = send(is_first ? first : second, call<&multiplier::result>()).get(),
               wanted = is_first ? times(a, b) : times(b, a);
    float off = 0;
    for (std::size_t i = 0; i < got.size(); ++i) off = std::max(off, std::abs(got[i] - wanted[i]));
    std::printf("N%d: its product times that of the other, off by %g\n", is_first ? 0 : 1, off);
  }
}

int main() {
  if (runtime rt; rt.nodes() > 1) {  // a launcher has started several processes
    rt.run(program);
    return 0;
  }
  const char* const asked = std::getenv("STRETTO_DEVICES");
  const std::string devices = asked ? asked : "sim";
  simulated_job job({.nodes = 2});
  std::vector<std::thread> nodes;
  for (std::uint32_t n = 0; n < job.nodes(); ++n)
    nodes.emplace_back([&job, &devices, n] {
      runtime rt({.devices = devices, .job = job.endpoint(n)});
      rt.run(program);
    });
  for (auto& t : nodes) t.join();
}
