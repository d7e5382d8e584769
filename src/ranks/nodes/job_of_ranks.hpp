// job_of_ranks.hpp - a node's part in a job of ranks: how it joins, and its messages with the other nodes.
//
// Threads     as each member says.
#pragma once

#include <stretto/job.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

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
  bool is_by_accelerators = false;  // both are 0: each node has as many ranks as accelerators
};

/// A message that each node sends to all others, and that each waits for.
class node_round {
 public:
  explicit node_round(const request_kind& kind) : all_(kind) { all_.activate(); }
  /// One node has sent it. This may come before this node waits: the counter then goes below 0, modulo 2^32.
  void count_node() noexcept {
    if (missing_.fetch_sub(1) == 1) all_.end();
  }
  /// Waits, as a task, for this node, which has sent it, and for all others.
  void wait_for(std::uint32_t nodes);

 private:
  std::atomic<std::uint32_t> missing_{0};
  request all_;
};

/// Joins a job by another endpoint. The runtime that uses it keeps it; the protocols live as long.
class job_of_ranks final : public dist::endpoint {
 public:
  job_of_ranks(std::shared_ptr<job_endpoint> by, const job_shape& shape, job_end::exit_function exit);
  ~job_of_ranks() override;

  std::uint16_t first() const noexcept override { return by_.first(); }
  void add_protocols(dist::job& j) override;
  std::unique_ptr<net::transport> join(net::handlers& all) override { return by_.join(all); }

  /// The ranks of all nodes, once the runtime has been made; not if the job is by accelerators.
  rank_map map() const;
  /// The same by the accelerators of the nodes, of which this one has `own`. As a task: waits for the other nodes.
  rank_map map_by_accelerators(int own);
  /// Lets messages go to ranks of other nodes, and come to those of this one, which `node` has.
  void connect(node_ranks& node);
  /// Waits, as a task, until all nodes have called connect(): then ranks may send.
  void wait_for_others();
  /// The ranks of this node have ended.
  void close() { messages_->close(); }

 private:
  void on_loaded(dist::rank from, const ranks_loaded& m, base::thread_context& context);
  void on_accelerators(dist::rank from, const accelerator_count& m, base::thread_context& context);
  void note_accelerators(dist::rank of, int count);
  template <class Message>
  void exchange(const Message& own, node_round& round);
  void on_collective(dist::rank from, const collective_notice& m, base::thread_context& context);

  const std::shared_ptr<job_endpoint> kept_;
  dist::endpoint& by_;
  const job_shape shape_;
  const job_end::exit_function exit_;
  dist::job* job_ = nullptr;
  std::unique_ptr<remote_messages> messages_;
  std::unique_ptr<job_end> end_;
  std::mutex accelerators_mutex_;
  std::vector<int> accelerators_;  // of each node, guarded until all have sent their number
  node_round counted_, connected_;
};

}  // namespace stretto::ranks
