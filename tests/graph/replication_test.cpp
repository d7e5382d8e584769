#include "graph/replication.hpp"

#include <doctest/doctest.h>

#include <random>
#include <utility>
#include <vector>

using namespace stretto;
using graph::node_number, graph::node_set, graph::replication, graph::sent_part;

namespace {

const box line(0, 40);

std::vector<box> taken(replication& r, const box& where) {
  std::vector<box> lacking;
  r.take(where, lacking);
  return lacking;
}
std::vector<sent_part> sent(replication& r, const box& where, const node_set& users) {
  std::vector<sent_part> parts;
  r.send(where, users, parts);
  return parts;
}

}  // namespace

TEST_CASE("elements that other nodes have written are lacking until they are taken") {
  replication r(line, 1, 4);
  CHECK(taken(r, line).empty());
  r.written({line}, {box(10, 20)});
  CHECK(taken(r, box(5, 25)) == std::vector<box>{box(5, 10), box(20, 25)});
  CHECK(taken(r, box(5, 25)).empty());
  r.written({box(0, 10)}, {});
  CHECK(taken(r, box(5, 25)) == std::vector<box>{box(5, 10)});
}

TEST_CASE("elements that this node has written are sent once to each node that lacks them") {
  replication r(line, 1, 4);
  CHECK(!r.may_send());
  r.written({line}, {box(10, 20)});
  CHECK(r.may_send());
  CHECK(sent(r, line, node_set(0, 3)) == std::vector<sent_part>{{box(10, 20), node_set(0, 1) | node_set(2, 3)}});
  CHECK(sent(r, line, node_set(0, 3)).empty());
  CHECK(sent(r, box(0, 15), node_set(0, 4)) == std::vector<sent_part>{{box(10, 15), node_set(3, 4)}});
  r.written({box(18, 22)}, {});
  CHECK(sent(r, line, node_set(3, 4)) == std::vector<sent_part>{{box(15, 18), node_set(3, 4)}});
  CHECK(!r.may_send());
}

TEST_CASE("elements that are the same on all nodes have no owner") {
  replication r(line, 1, 4);
  r.written({line}, {box(10, 20)});
  r.written_everywhere(line);
  CHECK(!r.may_send());
  CHECK(taken(r, line).empty());
}

TEST_CASE("many parts that are written by the same nodes each time leave as few pieces as there are nodes around") {
  const box all({0, 0}, {256, 1'000});
  replication r(all, 3, 16);
  r.written({all}, {box({48, 0}, {64, 1'000})});
  const std::size_t pieces = r.pieces();
  for (coordinate i = 0; i < 1'000; ++i) r.written({box({0, i}, {256, i + 1})}, {box({48, i}, {64, i + 1})});
  CHECK(r.pieces() == pieces);
}

TEST_CASE("lacking and sent elements equal those of a model by elements, over many seeds") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto below = [&](coordinate n) { return static_cast<coordinate>(random() % static_cast<unsigned>(n)); };
    const auto any_box = [&] {
      const coordinate at = below(40);
      return box(at, at + 1 + below(40 - at));
    };
    replication r(line, 1, 4);
    std::vector<int> held(40, 1);
    std::vector<node_set> lack(40);  // for elements owned here: the nodes that lack them
    for (int step = 0; step < 60; ++step) {
      const box where = any_box();
      switch (below(3)) {
        case 0: {
          const box own = below(3) ? intersection(where, any_box()) : box();
          r.written({where}, own.is_empty() ? std::vector<box>{} : std::vector<box>{own});
          for (coordinate i = where.min()[0]; i < where.max()[0]; ++i) {
            const auto n = static_cast<std::size_t>(i);
            held[n] = own.contains(point(i));
            lack[n] = held[n] ? node_set(0, 4) - node_set(1, 2) : node_set();
          }
          break;
        }
        case 1: {
          std::vector<int> got(40, 0), expected(40, 0);
          for (const box& b : taken(r, where))
            for (coordinate i = b.min()[0]; i < b.max()[0]; ++i) ++got[static_cast<std::size_t>(i)];
          for (coordinate i = where.min()[0]; i < where.max()[0]; ++i)
            expected[static_cast<std::size_t>(i)] = !std::exchange(held[static_cast<std::size_t>(i)], 1);
          REQUIRE(got == expected);
          break;
        }
        default: {
          const auto first = static_cast<node_number>(below(4));
          const node_set users(first, first + 1 + static_cast<node_number>(below(4 - first)));
          std::vector<node_set> got(40), expected(40);
          for (const sent_part& p : sent(r, where, users))
            for (coordinate i = p.where.min()[0]; i < p.where.max()[0]; ++i) got[static_cast<std::size_t>(i)] |= p.to;
          for (coordinate i = where.min()[0]; i < where.max()[0]; ++i) {
            const auto n = static_cast<std::size_t>(i);
            expected[n] = lack[n] & users;
            lack[n] -= users;
          }
          REQUIRE(got == expected);
        }
      }
    }
  }
}
