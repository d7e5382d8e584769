// random_collections.cpp - collections that all nodes broadcast to and reduce, whose elements move, at random and by
// balancers: each element has what each node has sent to it, once and in order.
#include <doctest/doctest.h>

#include <stretto/balancing.hpp>
#include <stretto/collection.hpp>
#include <stretto/finish.hpp>
#include <stretto/remote.hpp>
#include <stretto/task.hpp>

#include <functional>
#include <string>
#include <vector>

#include "drawing.hpp"

namespace stretto::test {
namespace {

struct counter {
  std::size_t index = 0;
  std::vector<std::uint32_t> of_nodes;  // messages of each
  std::string weight;
  std::uint64_t passed_on = 0;

  counter() = default;
  counter(std::size_t i, std::uint32_t nodes, std::size_t bytes) : index(i), of_nodes(nodes), weight(bytes, 'w') {}
  template <class Archive>
  friend void fields(Archive& a, archived<counter, Archive>& c) {
    a(c.index, c.of_nodes, c.weight, c.passed_on);
  }
};
/// Counts the messages of a node to each element.
struct sender {
  collection<counter> to;
  std::vector<std::uint32_t> sent;
  std::uint64_t broadcasts = 0;
};
sender here;

void count(counter& c, std::uint32_t from, std::uint32_t number) {
  expect(c.of_nodes[from] == number, "element " + std::to_string(c.index) + " gets message " + std::to_string(number) +
                                         " of node " + std::to_string(from) + " as its " +
                                         std::to_string(c.of_nodes[from]));
  ++c.of_nodes[from];
}
void count_broadcast(counter& c, std::uint32_t from, const std::vector<std::uint32_t>& numbers) {
  count(c, from, numbers[c.index]);
}
void pass_on(counter& c, const collection<counter>& all) {
  send(all[(c.index + 1) % all.size()], call([](counter& next) { ++next.passed_on; }));
}
std::uint64_t counted_from(const counter& c, std::uint32_t node) { return c.of_nodes[node]; }
std::vector<std::uint32_t> counted_from_all(const counter& c) { return c.of_nodes; }
std::uint64_t passed_to(const counter& c) { return c.passed_on; }

void begin(const collection<counter>& all) { here = {all, std::vector<std::uint32_t>(all.size()), 0}; }
std::vector<std::uint32_t> sent() { return here.sent; }
std::uint64_t broadcasts() { return here.broadcasts; }

balancer drawn(drawing& draw) {
  switch (draw.below(4)) {
    case 0: return balancers::greedy{};
    case 1: return balancers::refine{};
    case 2: return balancers::diffusion{};
    default:
      return [](const load_table& t) {  // each element to the next node
        object_moves all;
        for (std::uint32_t i = 0; i < t.objects.size(); ++i)
          all.push_back({i, static_cast<std::uint32_t>((t.objects[i].node + 1) % t.nodes.size())});
        return all;
      };
  }
}

void act(std::uint64_t seed) {
  drawing draw(seed * 977 + this_node());
  const std::uint32_t me = this_node();
  for (auto steps = 10 + draw.below(25); steps > 0; --steps) {
    const std::size_t i = draw.below(here.to.size());
    switch (draw.below(8)) {
      case 0: {
        const std::vector<std::uint32_t> numbers = here.sent;
        for (std::uint32_t& n : here.sent) ++n;
        broadcast(here.to, call<&count_broadcast>(me, numbers));
        break;
      }
      case 1: {  // its own messages come before what it asks
        std::uint64_t all = 0;
        for (const std::uint32_t n : here.sent) all += n;
        const auto seen = reduce(here.to, call<&counted_from>(me), std::uint64_t{0}, std::plus<>()).get();
        expect(seen == all,
               "a reduction sees " + std::to_string(seen) + " messages of its node, which sent " + std::to_string(all));
        break;
      }
      case 2: migrate(here.to[i], at_node(draw.node())); break;
      case 3:
        ++here.broadcasts;
        broadcast(here.to, call<&pass_on>(here.to));
        break;
      case 4:
        if (draw.below(3) == 0) balance(here.to, drawn(draw)).get();
        break;
      default: send(here.to[i], call<&count>(me, here.sent[i]++));
    }
    if (draw.below(5) == 0) yield();
  }
}

}  // namespace

void collection_program(std::uint64_t seed) {
  drawing draw(seed);
  const std::size_t elements = 1 + draw.below(20), bytes = draw.below(4) ? 0 : 60'000;
  const auto all = draw.below(2) ? make_collection<counter>(elements, job_nodes(), bytes)
                                 : make_collection<counter>(
                                       placed([&](std::size_t, std::size_t, std::uint32_t) { return draw.node(); }),
                                       elements, job_nodes(), bytes);
  for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call<&begin>(all)).get();
  finish([&] {
    for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call<&act>(seed));
  });
  std::vector<std::vector<std::uint32_t>> of_elements;
  for (std::size_t i = 0; i < elements; ++i) of_elements.push_back(send(all[i], call<&counted_from_all>()).get());
  std::uint64_t wanted = 0;
  for (std::uint32_t n = 0; n < job_nodes(); ++n) {
    const auto its = async(at_node(n), call<&sent>()).get();
    for (std::size_t i = 0; i < elements; ++i)
      expect(of_elements[i][n] == its[i], "element " + std::to_string(i) + " has " + std::to_string(of_elements[i][n]) +
                                              " messages of node " + std::to_string(n) + ", which sent " +
                                              std::to_string(its[i]));
    wanted += async(at_node(n), call<&broadcasts>()).get() * elements;
  }
  const auto passed = reduce(all, call<&passed_to>(), std::uint64_t{0}, std::plus<>()).get();
  expect(passed == wanted, "elements have passed on " + std::to_string(passed) + " of " + std::to_string(wanted));
  destroy(all).get();
}

}  // namespace stretto::test
