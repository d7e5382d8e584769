// 32_integer_sort.cpp - sorts random keys over all nodes by copies between their memories.
//
// This application draws keys on every node and sorts them over all nodes, so that node n ends with the n-th part of
// the range. It shows an exchange of all nodes with all nodes without collective calls. It helps readers who know
// MPI_Alltoallv.
//
// Each node groups its keys by their target node, and copies each group to its place in the memory of that node. Node 0
// submits all phases and waits only for the counts of keys. A number as argument draws so many keys and prints the
// speed.
//
// Started alone, the program simulates a job of four nodes in one process. `stretto run -n 4 32_integer_sort` starts
// four processes instead.
//
// Source      the benchmark ISx (Hanebutte and Hemstad, PGAS 2015), with its checks: as many keys as were drawn, each
//             within the range of its node; and in addition their sum and their order.
//
// Output
//   200000 keys were drawn, and 200000 lie in order, with the same sum
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

using key = std::uint32_t;
long keys_in_all = 200'000;
bool is_timed = false;
constexpr key keys_of_a_node = 1u << 24;  // the range of one node's share

struct drawn {
  instance<key> keys;
  std::vector<long> for_node;  // how many belong to each
  std::uint64_t sum = 0;
  template <class Archive>
  friend void fields(Archive& a, archived<drawn, Archive>& d) {
    a(d.keys, d.for_node, d.sum);
  }
};

/// Draws keys for all nodes, each node's side by side.
drawn draw(long count, std::uint64_t seed) {
  const std::uint32_t nodes = job_nodes();
  std::vector<key> all;
  drawn d{{}, std::vector<long>(nodes), 0};
  for (long i = 0; i < count; ++i) {
    std::uint64_t x = (seed << 32) + static_cast<std::uint64_t>(i) + 1;  // splitmix64: Steele, Lea, Flood
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    all.push_back(static_cast<key>((x ^ x >> 31) % (std::uint64_t{keys_of_a_node} * nodes)));
    ++d.for_node[all.back() / keys_of_a_node];
    d.sum += all.back();
  }
  std::ranges::sort(all, {}, [](key k) { return k / keys_of_a_node; });
  const auto [keys, ready] = instance<key>::create(at_node(this_node()), {0, count});
  wait(ready);
  std::ranges::copy(all, &keys.view()(0));
  d.keys = keys;
  return d;
}

/// Copies those for each node to their place there: keys for node n are [first[n], first[n] + for_node[n]) of its
/// instance.
void deal(const drawn& mine, const std::vector<instance<key>>& to, const std::vector<long>& first) {
  std::vector<event> copies;
  key* from = &mine.keys.view()(0);
  for (std::size_t n = 0; n < to.size(); ++n) {
    const box there{first[n], first[n] + mine.for_node[n]};
    if (mine.for_node[n]) copies.push_back(copy(instance<key>::external(from, there), to[n], there));
    from += mine.for_node[n];
  }
  wait(merge(copies));
  mine.keys.destroy();
}

struct checked {
  long in_order = 0;
  std::uint64_t sum = 0;
};
/// Sorts the keys of this node, and counts what is in order and within its range.
checked sort_share(const instance<key>& share, long count) {
  const std::span<key> keys(&share.view()(0), static_cast<std::size_t>(count));
  std::ranges::sort(keys);
  checked c;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    c.in_order += keys[i] / keys_of_a_node == this_node() && (i == 0 || keys[i - 1] <= keys[i]);
    c.sum += keys[i];
  }
  share.destroy();
  return c;
}

void program() {
  if (this_node() != 0) return;  // the others serve, until the job is over
  const std::uint32_t nodes = job_nodes();
  const auto began = std::chrono::steady_clock::now();
  std::vector<future<drawn>> draws;
  for (std::uint32_t n = 0; n < nodes; ++n)
    draws.push_back(
        async(at_node(n), name("draw"), call<&draw>(keys_in_all * (n + 1) / nodes - keys_in_all * n / nodes, n)));

  // Where each node's keys begin in the share of each other one.
  std::vector<long> total(nodes);
  std::vector<std::vector<long>> first(nodes);
  std::uint64_t sum = 0;
  for (std::uint32_t from = 0; from < nodes; ++from) {
    first[from] = total;
    for (std::uint32_t to = 0; to < nodes; ++to) total[to] += draws[from].get().for_node[to];
    sum += draws[from].get().sum;
  }
  std::vector<instance<key>> shares;
  std::vector<event> made;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const auto [share, ready] = instance<key>::create(at_node(n), {0, total[n]}, {.name = "share"});
    shares.push_back(share);
    made.push_back(ready);
  }
  std::vector<event> distributed;
  for (std::uint32_t n = 0; n < nodes; ++n)
    distributed.push_back(
        async(at_node(n), name("deal"), after(merge(made)), call<&deal>(draws[n].get(), shares, first[n])));
  std::vector<future<checked>> sorted;
  for (std::uint32_t n = 0; n < nodes; ++n)
    sorted.push_back(
        async(at_node(n), name("sort"), after(merge(distributed)), call<&sort_share>(shares[n], total[n])));
  long in_order = 0;
  for (const auto& s : sorted) in_order += s.get().in_order, sum -= s.get().sum;
  std::printf("%ld keys were drawn, and %ld lie in order, %s\n", keys_in_all, in_order,
              sum == 0 ? "with the same sum" : "with another sum");
  if (is_timed)
    std::printf("%.1f million keys a second\n",
                1e-6 * keys_in_all / std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
}

int main(int argc, char** argv) {
  if (argc > 1) keys_in_all = std::max(1l, std::atol(argv[1])), is_timed = true;
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
