// job_of_ranks.hpp - a node's part in a job of ranks: how it joins, and its messages with the other nodes.
//
// Threads     as each member says.
#pragma once

#include <stretto/job.hpp>

#include <atomic>
#include <memory>

#include "dist/endpoint.hpp"
#include "ranks/nodes/job_end.hpp"
#include "ranks/nodes/remote_messages.hpp"
#include "ranks/process/node_ranks.hpp"

namespace stretto::ranks {

/// All nodes of a job must have the same.
struct job_shape {
  int ranks = 0;          // of the job; 0: one on each node
  int ranks_of_node = 0;  // on each node, if `ranks` is 0 and this is not
  rank_order order = rank_order::blocks;
};

/// Joins a job by another endpoint. The runtime that uses it keeps it; the protocols live as long.
class job_of_ranks final : public dist::endpoint {
 public:
  job_of_ranks(std::shared_ptr<job_endpoint> by, const job_shape& shape, job_end::exit_function exit);
  ~job_of_ranks() override;

  std::uint16_t first() const noexcept override { return by_.first(); }
  void add_protocols(dist::job& j) override;
  std::unique_ptr<net::transport> join(net::handlers& all) override { return by_.join(all); }

  /// The ranks of all nodes, once the runtime has been made.
  rank_map map() const;
  /// Lets messages go to ranks of other nodes, and come to those of this one, which `node` has.
  void connect(node_ranks& node);
  /// Waits, as a task, until all nodes have called connect(): then ranks may send.
  void wait_for_others();
  /// The ranks of this node have ended.
  void close() { messages_->close(); }

 private:
  void on_loaded(dist::rank from, const ranks_loaded& m, base::thread_context& context);
  void on_collective(dist::rank from, const collective_notice& m, base::thread_context& context);

  const std::shared_ptr<job_endpoint> kept_;
  dist::endpoint& by_;
  const job_shape shape_;
  const job_end::exit_function exit_;
  dist::job* job_ = nullptr;
  std::unique_ptr<remote_messages> messages_;
  std::unique_ptr<job_end> end_;
  std::atomic<std::uint32_t> missing_{0};  // nodes that have not called connect()
  request all_connected_;
};

}  // namespace stretto::ranks
