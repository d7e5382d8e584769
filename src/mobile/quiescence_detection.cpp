#include "mobile/quiescence_detection.hpp"

#include <utility>

#include <stretto/error.hpp>

#include "base/numbers.hpp"

namespace stretto::mobiles {

using dist::rank;

quiescence_detection::quiescence_detection(dist::job* j, std::function<message_counts()> counts)
    : job_(j), counts_(std::move(counts)) {
  if (!j) return;
  j->on<&quiescence_detection::on_query>(this);
  j->on<&quiescence_detection::on_reply>(this);
}

event quiescence_detection::when_quiescent(const std::source_location& where) {
  const auto e = user_event::create(where);
  {
    const std::scoped_lock hold(lock_);
    waiters_.push_back({e, last_round_.load()});
    waiter_count_ = waiters_.size();
  }
  check_if_single_node();
  return e;
}

// In a runtime without a job: no round is needed. If all messages have ended, all waiters are done.
void quiescence_detection::check() {
  const message_counts c = counts_();
  if (c.begun == c.ended) trigger(dist::round_number{~std::uint64_t{0}});
}

void quiescence_detection::trigger(dist::round_number round) {
  std::vector<user_event> now;
  {
    const std::scoped_lock hold(lock_);
    std::erase_if(waiters_, [&](const waiter& w) {
      if (w.after_round >= round) return false;
      now.push_back(w.reached);
      return true;
    });
    waiter_count_ = waiters_.size();
  }
  for (const user_event& e : now) {
    try {
      e.trigger();
    } catch (const error&) {  // the runtime has already ended the event: nobody waits any more
    }
  }
}

// Called at the end of each poll: begins a round if something waits for quiescence here, and replies to rounds of this
// node and of others.
void quiescence_detection::advance() {
  if (!round_.is_open() && waiter_count_.load(std::memory_order_relaxed)) begin_round();
  const bool owes = round_.awaits(job_->self());
  if (!owes && unanswered_queries_.empty()) return;
  const message_counts mine = counts_();
  // This node is not quiescent and replies in a later poll. A reply now would only end the round without success, and
  // the next round would begin at once.
  if (mine.begun != mine.ended || mine.handling) return;
  for (const auto& [from, round] : unanswered_queries_) job_->send(from, quiescence_reply{round, mine});
  unanswered_queries_.clear();
  if (!owes) return;
  round_.add(job_->self(), round_.number(), mine);
  end_round_if_complete();
}

void quiescence_detection::begin_round() {
  last_round_ = round_.begin(job_->nodes(), [this](rank r) { return r != job_->self() && job_->is_lost(r); });
  for (rank r = 0; r < job_->nodes(); ++r)
    if (r != job_->self() && round_.awaits(r)) job_->send(r, quiescence_query{round_.number()});
}

void quiescence_detection::on_query(rank from, const quiescence_query& m, base::thread_context&) {
  unanswered_queries_[from] = m.round;
}

void quiescence_detection::on_reply(rank from, const quiescence_reply& m, base::thread_context&) {
  if (round_.add(from, m.round, m.counts)) end_round_if_complete();
}

void quiescence_detection::end_round_if_complete() {
  if (!round_.is_complete()) return;
  // Nodes reply only when all their messages have ended. If no reply has changed since the round before, no message was
  // under way between the two. So all is done for those that waited already when the earlier round began.
  if (round_.end().is_unchanged) trigger(base::previous(round_.number()));
}

void quiescence_detection::on_node_failed(rank node) {
  unanswered_queries_.erase(node);
  round_.on_node_failed(node);
  if (!round_.is_complete()) return;
  // The failure has completed the open round, which is compared with neither the round before nor the next one.
  round_.end();
  round_.forget_previous();
}

}  // namespace stretto::mobiles
