// job_of_ranks.cpp - the start of a job of ranks: nobody sends before all nodes have loaded their ranks.
#include "ranks/nodes/job_of_ranks.hpp"

#include <fmt/format.h>

#include <utility>

#include "ranks/messages/usage_observer.hpp"

namespace stretto::ranks {

namespace {

void keep_start(completion&) noexcept {}
std::string describe_start(const completion&) { return "the ranks of other nodes, which are being loaded"; }
constexpr request_kind kind_of_start{{keep_start, describe_start}};

}  // namespace

job_of_ranks::job_of_ranks(std::shared_ptr<job_endpoint> by, const job_shape& shape, job_end::exit_function exit)
    : kept_(std::move(by)),
      by_(dynamic_cast<dist::endpoint&>(*kept_)),
      shape_(shape),
      exit_(std::move(exit)),
      all_connected_(kind_of_start) {
  all_connected_.activate();
}

job_of_ranks::~job_of_ranks() = default;

void job_of_ranks::add_protocols(dist::job& j) {
  job_ = &j;
  j.must_agree("ranks", fmt::format("{} of the job, {} of each node, order {}", shape_.ranks, shape_.ranks_of_node,
                                    static_cast<int>(shape_.order)));
  j.on<&job_of_ranks::on_loaded, &job_of_ranks::on_collective>(this);
  messages_ = std::make_unique<remote_messages>(j);
  end_ = std::make_unique<job_end>(j, exit_);
}

rank_map job_of_ranks::map() const {
  const int nodes = static_cast<int>(job_->nodes());
  const int of_node = shape_.ranks_of_node ? shape_.ranks_of_node : 1;
  return {shape_.ranks ? shape_.ranks : nodes * of_node, nodes, shape_.order};
}

void job_of_ranks::connect(node_ranks& node) {
  messages_->use(node.map());
  for (int r = 0; r < node.size(); ++r) {
    const world_rank rank{r};
    if (node.map().node_of(rank) != job_->self()) node.set_peer(rank, {nullptr, &messages_->reach(rank)});
    else messages_->set_mailbox(rank, *node.reach(rank).local);
  }
  node.end_others = [this](int code, const std::function<void()>& report) { end_->report_end(code, report); };
  node.notify_collective = [this](int other, const collective_notice& begun) {
    job_->send(static_cast<dist::rank>(other), begun);
  };
}

void job_of_ranks::wait_for_others() {
  missing_.fetch_add(job_->nodes());
  for (dist::rank node = 0; node < job_->nodes(); ++node)
    if (node != job_->self()) job_->send(node, ranks_loaded{});
  if (missing_.fetch_sub(1) == 1) return;
  wait_for(all_connected_);
}

// A notice may come before this node waits: the counter then goes below 0, modulo 2^32, and up again.
void job_of_ranks::on_loaded(dist::rank, const ranks_loaded&, base::thread_context&) {
  if (missing_.fetch_sub(1) == 1) all_connected_.end();
}

void job_of_ranks::on_collective(dist::rank, const collective_notice& m, base::thread_context&) {
  if (usage_observer::installed) usage_observer::installed->begun_elsewhere(m);
}

}  // namespace stretto::ranks
