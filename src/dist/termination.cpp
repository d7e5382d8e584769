#include "dist/termination.hpp"

#include <utility>

#include "base/sanitizers.hpp"

namespace stretto::dist {

termination::termination(job& j) : job_(j) {
  j.on<&termination::on_query, &termination::on_reply, &termination::on_over>(this);
  j.add(*this);
}

void termination::leave(callbacks c) {
  callbacks_ = std::move(c);
  job_.leave();
  is_leaving_.store(true, std::memory_order_release);
}

termination::counts termination::local_counts() const noexcept {
  const job::counts c = job_.messages();
  return {c.sent, c.handled, poisoned_};
}

void termination::advance(base::thread_context& context) {
  if (is_over_ || !is_leaving()) return;
  if (const auto first = queries_.find(job_.coordinator()); first != queries_.end() && callbacks_.is_idle()) {
    if (disconnect_from_all(first->second.lost)) return;  // what waited for them continues first
    base::announce_acquire(&queries_);                    // another thread's poll may have put it there
    const termination_query q = std::move(queries_.extract(first).mapped());
    if (q.poisons) poisoned_ += callbacks_.poison_untriggered(context);
    const counts m = local_counts();
    job_.send(job_.coordinator(), termination_reply{q.round, m.sent, m.handled, m.poisoned});
    return;
  }
  if (!round_.is_open() && job_.coordinator() == job_.self() && callbacks_.is_idle())
    begin_round(std::exchange(poisons_next_, false), context);
}

void termination::begin_round(bool poisons, base::thread_context& context) {
  const auto has_failed = [this](rank r) { return r != job_.self() && job_.is_lost(r); };
  termination_query query{.round = round_.begin(job_.nodes(), has_failed), .poisons = poisons};
  if (poisons) poisoned_ += callbacks_.poison_untriggered(context);
  // This node's counts are those at the beginning of the round; later changes show in the next round.
  round_.add(job_.self(), query.round, local_counts());
  for (rank r = 0; r < job_.nodes(); ++r)
    if (has_failed(r)) query.lost.push_back(r);
  for (rank r = 0; r < job_.nodes(); ++r)
    if (round_.awaits(r)) job_.send(r, query);
  end_round_if_complete();
}

void termination::end_round_if_complete() {
  if (!round_.is_complete()) return;
  const auto now = round_.end();
  const bool is_quiet = now.is_unchanged && now.sum.sent == now.sum.handled;
  const bool was_quiet = std::exchange(was_quiet_, is_quiet);
  if (!is_quiet) return;
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
  base::announce_release(&queries_);
}

bool termination::disconnect_from_all(const std::vector<node_rank>& all) {
  bool has_any = false;
  for (const rank r : all) {
    if (r == job_.self() || job_.is_lost(r)) continue;
    job_.disconnect_from(r, "it is unreachable from node " + job_.name_of(job_.coordinator()) +
                                "; the job splits, and each part ends by itself");
    has_any = true;
  }
  return has_any;
}

void termination::on_reply(rank from, const termination_reply& r, base::thread_context&) {
  if (round_.add(from, r.round, {r.sent, r.handled, r.poisoned})) end_round_if_complete();
}

void termination::on_over(rank, const termination_over&, base::thread_context&) { is_over_ = true; }

void termination::lost(rank node, base::thread_context&) noexcept {
  if (is_over_) return broadcast_over();  // the coordinator may have been lost before it notified all
  // Work that waited for that node continues: it may trigger what waits now.
  was_quiet_ = poisons_next_ = false;
  base::announce_acquire(&queries_);
  queries_.erase(node);
  round_.on_node_failed(node);
  end_round_if_complete();
}

}  // namespace stretto::dist
