#include <stretto/error.hpp>
#include <stretto/job.hpp>

#include <mutex>
#include <vector>

#include "base/node_numbers.hpp"
#include "dist/endpoint.hpp"
#include "net/sim/network.hpp"

namespace stretto {

struct simulated_job::state {
  std::uint32_t nodes;
  std::uint16_t first;
  std::shared_ptr<net::sim::network> network;
  std::mutex mutex;
  std::vector<bool> is_given;

  state(std::uint32_t n, std::uint16_t f, std::shared_ptr<net::sim::network> net)
      : nodes(n), first(f), network(std::move(net)), is_given(n) {}
  ~state() { base::release_node_numbers(first, nodes); }

  std::uint32_t checked(std::uint32_t node) const {
    if (node < nodes) return node;
    throw error("N02", "there is no node " + std::to_string(node))
        .fact("nodes", std::to_string(nodes) + ", numbered from 0")
        .remedy("make the simulated_job with more nodes");
  }
};

namespace {

constexpr std::uint32_t most_nodes = 4096;

}  // namespace

simulated_job::simulated_job(const simulated_network& network, std::source_location where) {
  const auto refuse = [&](const char* what, const char* allowed) {
    throw error("N12", std::string("a simulated network cannot have this ") + what)
        .fact("made", where)
        .fact("allowed", allowed);
  };
  if (network.nodes < 1 || network.nodes > most_nodes) refuse("number of nodes", "1 to 4096");
  const auto is_time = [](double s) { return s >= 0 && s <= 1e6; };  // false for NaN
  if (!is_time(network.latency_seconds) || !is_time(network.jitter_seconds))
    refuse("latency or jitter", "0 to 1e6 seconds");
  if (!(network.bandwidth_bytes_per_second >= 1 && network.bandwidth_bytes_per_second <= 1e15))
    refuse("bandwidth", "1 to 1e15 bytes per second");
  const auto first = base::allocate_node_numbers(network.nodes);
  if (!first) throw error("S08", "there are 16384 runtimes in this process").remedy("destroy some");
  net::sim::settings s{.nodes = network.nodes,
                       .seed = network.seed,
                       .latency_seconds = network.latency_seconds,
                       .jitter_seconds = network.jitter_seconds,
                       .bandwidth_bytes_per_second = network.bandwidth_bytes_per_second};
  state_ = std::make_shared<state>(network.nodes, *first, net::sim::network::make(s));
}

/// Keeps the job alive and its node numbers allocated.
struct simulated_job::simulated_endpoint final : dist::endpoint {
  simulated_endpoint(std::shared_ptr<state> j, net::node_number n) : job(std::move(j)), node(n) {}
  std::uint16_t first() const noexcept override { return job->first; }
  std::unique_ptr<net::transport> join(net::handlers& all) override { return job->network->join(node, all); }

  const std::shared_ptr<state> job;
  const net::node_number node;
};

std::uint32_t simulated_job::nodes() const noexcept { return state_->nodes; }

std::shared_ptr<job_endpoint> simulated_job::endpoint(std::uint32_t node) const {
  const std::scoped_lock lock(state_->mutex);
  if (state_->is_given[state_->checked(node)])
    throw error("N11", "the endpoint of node " + std::to_string(node) + " is already taken")
        .because("each node has one runtime")
        .remedy("take each node's endpoint once");
  state_->is_given[node] = true;
  return std::make_shared<simulated_endpoint>(state_, static_cast<net::node_number>(node));
}

void simulated_job::cut(std::uint32_t one, std::uint32_t other) const {
  state_->network->cut(static_cast<net::node_number>(state_->checked(one)),
                       static_cast<net::node_number>(state_->checked(other)));
}
void simulated_job::kill(std::uint32_t node) const {
  state_->network->kill(static_cast<net::node_number>(state_->checked(node)));
}
double simulated_job::seconds() const { return state_->network->seconds(); }

}  // namespace stretto
