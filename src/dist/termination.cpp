#include "dist/termination.hpp"

#include <algorithm>
#include <utility>

namespace stretto::dist {

termination::termination(job& j) : job_(j) {
  j.on<&termination::on_query>(this);
  j.on<&termination::on_reply>(this);
  j.on<&termination::on_over>(this);
  j.on<&termination::on_disconnect>(this);
  j.add(*this);
}

void termination::leave(callbacks w) {
  callbacks_ = std::move(w);
  job_.leave();
  is_leaving_.store(true, std::memory_order_release);
}

termination::sums termination::local_sums() const noexcept {
  const job::counts c = job_.messages();
  return {c.sent, c.handled, poisoned_};
}

void termination::advance(base::thread_context& context) {
  if (is_over_ || !is_leaving()) return;
  if (const auto first = queries_.find(job_.coordinator()); first != queries_.end() && callbacks_.is_idle()) {
    if (disconnect_from_all(first->second.lost)) return;  // what waited for them continues first
    const termination_query q = std::move(queries_.extract(first).mapped());
    if (q.poisons) poisoned_ += callbacks_.poison_untriggered(context);
    const sums m = local_sums();
    job_.send(job_.coordinator(), termination_reply{q.round, m.sent, m.handled, m.poisoned});
    return;
  }
  if (!is_round_open_ && job_.coordinator() == job_.self() && callbacks_.is_idle())
    begin_round(std::exchange(poisons_next_, false), context);
}

void termination::begin_round(bool poisons, base::thread_context& context) {
  ++round_;
  is_round_open_ = true;
  if (poisons) poisoned_ += callbacks_.poison_untriggered(context);
  has_replied_.assign(job_.nodes(), false);
  round_sums_ = local_sums();
  has_replied_[job_.self()] = true;
  termination_query query{.round = round_, .poisons = poisons};
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self() && job_.is_lost(r)) query.lost.push_back(r);
  for (rank r = 0; r < job_.nodes(); ++r) {
    if (r == job_.self()) continue;
    if (job_.is_lost(r)) has_replied_[r] = true;
    else job_.send(r, query);
  }
  end_round();
}

void termination::end_round() {
  if (!std::ranges::all_of(has_replied_, [](bool b) { return b; })) return;
  is_round_open_ = false;
  // This node's sums are those at the beginning of the round; later changes show in the next round.
  const bool is_same = has_previous_ && round_sums_ == previous_sums_ && round_sums_.sent == round_sums_.handled;
  const bool was_quiet = std::exchange(was_quiet_, is_same);
  previous_sums_ = round_sums_;
  has_previous_ = true;
  if (!is_same) return;
  if (!was_quiet) {  // nothing runs: poison what waits in vain, and check again
    poisons_next_ = true;
    return;
  }
  is_over_ = true;
  broadcast_over();
}

void termination::broadcast_over() {
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self() && !job_.is_lost(r)) job_.send(r, termination_over{});
}

void termination::on_query(rank from, const termination_query& q, base::thread_context&) {
  if (is_over_) job_.send(from, termination_over{});  // the coordinator failed before it could notify all nodes
  else queries_[from] = q;
}

bool termination::disconnect_from_all(const std::vector<node_rank>& all) {
  bool has_any = false;
  for (const rank r : all) {
    if (r == job_.self() || job_.is_lost(r)) continue;
    job_.send(r, termination_disconnect{});
    job_.disconnect_from(r, "it is unreachable from node " + job_.name_of(job_.coordinator()) +
                                "; the job splits, and each part ends by itself");
    has_any = true;
  }
  return has_any;
}

void termination::on_disconnect(rank from, const termination_disconnect&, base::thread_context&) {
  job_.disconnect_from(from, "it ends the job together with nodes that cannot reach this one");
}

void termination::on_reply(rank from, const termination_reply& r, base::thread_context&) {
  if (r.round != round_ || !is_round_open_ || has_replied_[from]) return;
  round_sums_.sent += r.sent;
  round_sums_.handled += r.handled;
  round_sums_.poisoned += r.poisoned;
  has_replied_[from] = true;
  end_round();
}

void termination::on_over(rank, const termination_over&, base::thread_context&) { is_over_ = true; }

void termination::lost(rank node, base::thread_context&) noexcept {
  if (is_over_) return broadcast_over();  // the coordinator may have been lost before it notified all
  has_previous_ = was_quiet_ = false;     // its counts are in the previous sums
  queries_.erase(node);
  if (!is_round_open_ || has_replied_[node]) return;
  has_replied_[node] = true;
  end_round();
}

}  // namespace stretto::dist
