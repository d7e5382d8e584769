// 23_balancer.cpp - a load balancer of your own for a collection of mobile objects.
//
// This program shows how to balance load. A collection holds 60 mobile objects, the houses of a street, along which a
// crowd moves. The balancer is a function: it reads a table of nodes, objects and loads, and returns which objects move
// where. It helps readers whose load changes while the program runs.
//
// This balancer gives each node a contiguous part of the street, so that neighbours stay together. Started alone, the
// program simulates a job of three nodes in one process. `stretto run -n 3 23_balancer` starts three processes instead.
//
// Output
//   the crowd is at house 10: imbalance 2.54, then 1.05
//   the crowd is at house 30: imbalance 2.84, then 1.07
//   the crowd is at house 50: imbalance 2.62, then 1.05
//   each node has houses in a row
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

struct house {
  int number = 0, people = 0;
  house() = default;
  explicit house(std::size_t index) : number(int(index)) {}
  void fill(int crowd) { people = 1 + std::max(0, 20 - 2 * std::abs(number - crowd)); }
  double load_hint() const { return people; }  // what a balancer goes by
  std::uint32_t where() const { return this_node(); }
};

/// Each node gets a part of the street, as many people as it has workers for.
object_moves part_of_the_street(const load_table& t) {
  double people = 0, workers = 0, so_far = 0;
  for (const auto& o : t.objects) people += o.hint;
  for (const auto& n : t.nodes) workers += n.speed;
  object_moves moves;
  std::uint32_t node = 0;
  double end = people * t.nodes[0].speed / workers;
  for (std::size_t i = 0; i < t.objects.size(); ++i) {
    while (so_far + t.objects[i].hint / 2 > end && node + 1 < t.nodes.size())
      end += people * t.nodes[++node].speed / workers;
    so_far += t.objects[i].hint;
    if (t.objects[i].node != node) moves.push_back({.object = i, .to = node});
  }
  return moves;
}

void program() {
  if (this_node() != 0) return;  // the others serve, until the job is over
  const auto street = make_collection<house>(name("house"), 60);
  for (const int crowd : {10, 30, 50}) {
    broadcast(street, call<&house::fill>(crowd)).get();
    double before = 0, after = 0;
    balance(street,
            [&](load_table t) {  // called here, once
              for (auto& o : t.objects) o.seconds = o.hint;
              const object_moves moves = part_of_the_street(t);
              before = imbalance(t), after = imbalance(moved(t, moves));
              return moves;
            })
        .get();
    std::printf("the crowd is at house %d: imbalance %.2f, then %.2f\n", crowd, before, after);
  }
  const auto nodes =
      reduce(street, call<&house::where>(), std::vector<std::uint32_t>(), [](auto all, std::uint32_t one) {
        all.push_back(one);
        return all;
      }).get();
  std::puts(std::is_sorted(nodes.begin(), nodes.end()) ? "each node has houses in a row" : "houses are scattered");
}

int main() {
  if (runtime rt({.workers = 1}); rt.nodes() > 1) {  // a launcher has started several processes
    rt.run(program);
    return 0;
  }
  simulated_job job({.nodes = 3});
  std::vector<std::thread> nodes;
  for (std::uint32_t n = 0; n < job.nodes(); ++n)
    nodes.emplace_back([&job, n] {
      runtime rt({.workers = 1, .job = job.endpoint(n)});
      rt.run(program);
    });
  for (auto& t : nodes) t.join();
}
