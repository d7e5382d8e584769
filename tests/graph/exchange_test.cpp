// Partial values are texts that show the order and grouping of folds.
#include "graph/exchange.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>

using namespace stretto::graph;

namespace {

std::string folded(const std::string& first, const std::string& second) { return "(" + first + second + ")"; }

/// The final value of each node. Every step runs as soon as its input has arrived.
std::vector<std::string> values_after_exchange(node_number contributors, node_number nodes, std::size_t& most_steps) {
  std::vector<std::vector<exchange_step>> steps(nodes);
  std::vector<std::string> values(nodes);
  for (node_number n = 0; n < nodes; ++n) {
    steps[n] = exchange_of(n, contributors, nodes);
    most_steps = std::max(most_steps, steps[n].size());
    if (n < contributors) values[n] = " " + std::to_string(n);
  }
  std::map<std::pair<node_number, node_number>, std::string> under_way;  // by receiver and sender
  std::vector<std::size_t> next(nodes);
  std::vector<bool> has_sent(nodes);
  for (bool moved = true; std::exchange(moved, false);)
    for (node_number n = 0; n < nodes; ++n) {
      if (next[n] == steps[n].size()) continue;
      const exchange_step& s = steps[n][next[n]];
      if (!has_sent[n]) {
        for (const auto& i : s.to.intervals())
          for (node_number to = i.first; to < i.last; ++to)
            CHECK(under_way.emplace(std::pair(to, n), values[n]).second);
        has_sent[n] = moved = true;
      }
      if (s.from) {
        const auto came = under_way.find({n, *s.from});
        if (came == under_way.end()) continue;
        if (s.received == exchange_step::fold_order::replacing) values[n] = came->second;
        else
          values[n] = s.received == exchange_step::fold_order::before ? folded(came->second, values[n])
                                                                      : folded(values[n], came->second);
        under_way.erase(came);
      }
      ++next[n];
      has_sent[n] = false;
      moved = true;
    }
  CHECK(under_way.empty());
  for (node_number n = 0; n < nodes; ++n) CHECK(next[n] == steps[n].size());
  return values;
}

}  // namespace

TEST_CASE("after an exchange every node has the values of all contributors, folded in their order and all alike") {
  for (node_number contributors = 1; contributors <= 40; ++contributors)
    for (const node_number more : {0u, 1u, 2u, 7u, 100u}) {
      CAPTURE(contributors);
      CAPTURE(more);
      std::size_t most_steps = 0;
      const auto values = values_after_exchange(contributors, contributors + more, most_steps);
      for (const std::string& v : values) CHECK(v == values[0]);
      std::string in_order = values[0], expected;
      std::erase_if(in_order, [](char c) { return c == '(' || c == ')'; });
      for (node_number n = 0; n < contributors; ++n) expected += " " + std::to_string(n);
      CHECK(in_order == expected);
      CHECK(most_steps <= 2 + static_cast<std::size_t>(std::bit_width(contributors)));
    }
}

TEST_CASE("one node alone exchanges nothing, and two exchange once") {
  CHECK(exchange_of(0, 1, 1).empty());
  CHECK(exchange_of(0, 2, 2) == std::vector<exchange_step>{{node_set(1, 2), 1, exchange_step::fold_order::behind}});
  CHECK(exchange_of(1, 2, 2) == std::vector<exchange_step>{{node_set(0, 1), 0, exchange_step::fold_order::before}});
}

TEST_CASE("nodes without a value get the result from contributors in equal shares") {
  std::uint64_t most = 0, all = 0;
  for (node_number n = 0; n < 5; ++n) {
    std::uint64_t sent = 0;
    for (const exchange_step& s : exchange_of(n, 5, 4096))
      if (!s.from) sent += s.to.size();
    most = std::max(most, sent), all += sent;
  }
  CHECK(most <= 4091 / 5 + 2);
  CHECK(all == 4091 + 1);  // and the message of a merged neighbour
}
