// 21_nodes.cpp - remote calls: each node counts primes, and node 0 adds up the counts.
//
// This program is the first one to read about several nodes. Node 0 calls a function on every node by async(at_node(n),
// ...), and gets futures of the results. A call that throws on another node fails at the caller, with the text of the
// exception and the node's name. It helps readers who know MPI: here one node directs the program, and the others serve
// its calls.
//
// Started alone, the program simulates a job of four nodes in one process. `stretto run -n 4 21_nodes` starts four
// processes instead. A node runs the same code in both.
//
// Output
//   9592 primes below 100000
//   std::invalid_argument: a share from 70 to 7 is none (on N2)
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

long primes_between(long first, long last) {
  if (first > last)
    throw std::invalid_argument("a share from " + std::to_string(first) + " to " + std::to_string(last) + " is none");
  long count = 0;
  for (long n = first < 2 ? 2 : first; n < last; ++n) {
    bool is_prime = true;
    for (long d = 2; d * d <= n && is_prime; ++d) is_prime = n % d != 0;
    count += is_prime;
  }
  return count;
}

void program() {
  if (this_node() != 0) return;  // the others serve, until the job is over
  const long end = 100'000, share = end / job_nodes() + 1;
  std::vector<future<long>> counts;
  for (long n = 0; n < job_nodes(); ++n)
    counts.push_back(async(at_node(std::uint32_t(n)), name("share"),
                           call<&primes_between>(n * share, std::min(end, (n + 1) * share))));
  long all = 0;
  for (const auto& c : counts) all += c.get();
  std::printf("%ld primes below %ld\n", all, end);

  const std::uint32_t other = 2 % job_nodes();
  try {
    async(at_node(other), call<&primes_between>(70, 7)).get();
  } catch (const std::exception& e) {
    std::puts(e.what());
  }
}

int main() {
  if (runtime rt; rt.nodes() > 1) {  // a launcher has started several processes
    rt.run(program);
    return 0;
  }
  simulated_job job({.nodes = 4});
  std::vector<std::thread> nodes;
  for (std::uint32_t n = 0; n < job.nodes(); ++n)
    nodes.emplace_back([&job, n] {
      runtime rt({.job = job.endpoint(n)});
      rt.run(program);
    });
  for (auto& t : nodes) t.join();
}
