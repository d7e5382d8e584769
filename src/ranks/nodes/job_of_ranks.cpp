// job_of_ranks.cpp - the start of a job of ranks: nobody sends before all nodes have loaded their ranks.
#include "ranks/nodes/job_of_ranks.hpp"

#include <fmt/format.h>

#include <utility>

#include "ranks/messages/usage_observer.hpp"

namespace stretto::ranks {

namespace {

void keep_start(completion&) noexcept {}
std::string describe_start(const completion&) { return "the ranks of other nodes, which are being loaded"; }
std::string describe_count(const completion&) { return "the number of accelerators of other nodes"; }
constexpr request_kind kind_of_start{{keep_start, describe_start}};
constexpr request_kind kind_of_count{{keep_start, describe_count}};

}  // namespace

void node_round::wait_for(std::uint32_t nodes) {
  missing_.fetch_add(nodes);
  if (missing_.fetch_sub(1) == 1) return;
  ranks::wait_for(all_);
}

job_of_ranks::job_of_ranks(std::shared_ptr<job_endpoint> by, const job_shape& shape, job_end::exit_function exit)
    : kept_(std::move(by)),
      by_(dynamic_cast<dist::endpoint&>(*kept_)),
      shape_(shape),
      exit_(std::move(exit)),
      counted_(kind_of_count),
      connected_(kind_of_start) {}

job_of_ranks::~job_of_ranks() = default;

void job_of_ranks::add_protocols(dist::job& j) {
  job_ = &j;
  j.must_agree("ranks", fmt::format("{} of the job, {} of each node, order {}{}", shape_.ranks, shape_.ranks_of_node,
                                    static_cast<int>(shape_.order), shape_.is_by_accelerators ? ", by devices" : ""));
  j.on<&job_of_ranks::on_loaded, &job_of_ranks::on_accelerators, &job_of_ranks::on_collective>(this);
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

template <class Message>
void job_of_ranks::exchange(const Message& own, node_round& round) {
  for (dist::rank node = 0; node < job_->nodes(); ++node)
    if (node != job_->self()) job_->send(node, own);
  round.wait_for(job_->nodes());
}

rank_map job_of_ranks::map_by_accelerators(int own) {
  note_accelerators(job_->self(), own);
  exchange(accelerator_count{own}, counted_);
  return rank_map(accelerators_, shape_.order);
}

void job_of_ranks::note_accelerators(dist::rank of, int count) {
  const std::scoped_lock lock(accelerators_mutex_);
  accelerators_.resize(job_->nodes());
  accelerators_[of] = count;
}

void job_of_ranks::wait_for_others() { exchange(ranks_loaded{}, connected_); }

void job_of_ranks::on_loaded(dist::rank, const ranks_loaded&, base::thread_context&) { connected_.count_node(); }

void job_of_ranks::on_accelerators(dist::rank from, const accelerator_count& m, base::thread_context&) {
  note_accelerators(from, m.count);
  counted_.count_node();
}

void job_of_ranks::on_collective(dist::rank, const collective_notice& m, base::thread_context&) {
  if (usage_observer::installed) usage_observer::installed->begun_elsewhere(m);
}

}  // namespace stretto::ranks
