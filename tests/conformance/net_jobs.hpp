// net_jobs.hpp - the jobs of one process that scenarios run on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/net_scenario.hpp"
#include "net/sim/network.hpp"

namespace stretto::net {

using make_scenario = std::function<std::unique_ptr<scenario>(node_number self, std::uint32_t nodes)>;

/// When a job is over, beside all its nodes being done: over MPI another may always have sent.
enum class over { when_nothing_is_pending, when_all_are_done };

struct job {
  std::string name;
  std::uint32_t nodes;
  std::function<std::vector<std::unique_ptr<transport>>(std::vector<std::unique_ptr<scenario>>&)> make;
  net::over over = over::when_nothing_is_pending;
};

/// One node that is alone; simulated ones, and ones over a made-up MPI, by seed.
std::vector<job> jobs(std::uint64_t seed);

/// All nodes in turn, the seed says in which, until every one is done and nothing is under way.
void run_stepped(const job& j, const make_scenario& make, std::uint64_t seed);
/// A thread for each node.
void run_threaded(const job& j, const make_scenario& make);

}  // namespace stretto::net
