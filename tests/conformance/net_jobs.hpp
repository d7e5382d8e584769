// net_jobs.hpp - jobs within one process, on which scenarios run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/net_scenario.hpp"
#include "net/sim/network.hpp"

namespace stretto::net {

using make_scenario = std::function<std::unique_ptr<scenario>(node_number self, std::uint32_t nodes)>;

/// When a job is over in addition to all nodes being done: over MPI, another node may always have sent something.
enum class over { when_nothing_is_pending, when_all_are_done };

struct job {
  std::string name;
  std::uint32_t nodes;
  std::function<std::vector<std::unique_ptr<transport>>(std::vector<std::unique_ptr<scenario>>&)> make;
  net::over over = over::when_nothing_is_pending;
};

/// A single node, simulated nodes, and nodes over the fake MPI, by seed.
std::vector<job> jobs(std::uint64_t seed);

/// Steps the nodes in an order from the seed, until every one is done and nothing is pending.
void run_stepped(const job& j, const make_scenario& make, std::uint64_t seed);
/// A thread for each node.
void run_threaded(const job& j, const make_scenario& make);

}  // namespace stretto::net
