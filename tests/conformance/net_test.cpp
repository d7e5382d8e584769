// Every transport: order, payloads of any size, completions, and senders of many threads.
#include <doctest/doctest.h>

#include <stretto/error.hpp>

#include "campaign.hpp"
#include "conformance/net_jobs.hpp"
#include "conformance/net_scenarios.hpp"

namespace stretto::net {

TEST_CASE("messages of every size come once, in order, and their payloads whole, on every transport") {
  for (unsigned seed = 0; seed < test::scaled(20u, 2'000u); ++seed)
    for (const job& j : jobs(seed)) {
      CAPTURE(seed);
      CAPTURE(j.name);
      const auto make = [&](node_number self, std::uint32_t nodes) {
        return std::make_unique<flood>(self, nodes, seed, 20);
      };
      if (seed % 4) run_stepped(j, make, seed);
      else run_threaded(j, make);
    }
}

TEST_CASE("handlers may send, on every transport") {
  for (const job& j : jobs(7)) {
    CAPTURE(j.name);
    const auto make = [](node_number self, std::uint32_t nodes) { return std::make_unique<rounds>(self, nodes); };
    run_stepped(j, make, 3);
    run_threaded(j, make);
  }
}

TEST_CASE("threads of one node send at the same time, on every transport") {
  for (const job& j : jobs(5)) {
    CAPTURE(j.name);
    run_threaded(j, [](node_number self, std::uint32_t nodes) { return std::make_unique<many_senders>(self, nodes); });
  }
}

TEST_CASE("a node's write to lent memory is visible to the receiver of its next message, on every transport") {
  for (unsigned seed = 0; seed < test::scaled(10u, 500u); ++seed)
    for (const job& j : jobs(seed)) {
      CAPTURE(seed);
      CAPTURE(j.name);
      const auto make = [&](node_number self, std::uint32_t nodes) {
        return std::make_unique<lenders>(self, nodes, seed);
      };
      if (seed % 4) run_stepped(j, make, seed);
      else run_threaded(j, make);
    }
}

TEST_CASE("an impossible send is refused and sends nothing, on every transport") {
  struct nobody final : scenario {
    nobody() {
      all.add("here", nullptr, +[](void*, arrival&) { FAIL("nothing was sent"); });
    }
    void start() override {}
    bool is_done() const override { return true; }
  };
  for (const job& j : jobs(1)) {
    CAPTURE(j.name);
    std::vector<std::unique_ptr<scenario>> all;
    for (std::uint32_t n = 0; n < j.nodes; ++n) all.push_back(std::make_unique<nobody>());
    const auto nets = j.make(all);
    const std::vector<std::byte> much(transport::most_head_bytes + 1);
    told sent;
    const auto code_of = [&](const message& m) -> std::string {
      try {
        nets[0]->send(m);
      } catch (const error& e) {
        return std::string(e.code());
      }
      return "none";
    };
    CHECK(code_of({.to = static_cast<node_number>(j.nodes), .sent = &sent}) == "N02");
    CHECK(code_of({.handler = 1000, .sent = &sent}) == "N03");
    CHECK(code_of({.head = much, .sent = &sent}) == "N04");
    for (const auto& n : nets) {
      CHECK(n->is_pending() == (j.over == over::when_all_are_done));
      CHECK(n->counted().sent == 0);
    }
    CHECK(sent.times == 0);
  }
}

}  // namespace stretto::net
