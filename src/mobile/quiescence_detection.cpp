#include "mobile/quiescence_detection.hpp"

#include <utility>

#include <stretto/error.hpp>

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
    waiters_.push_back({e, round_.load()});
    waiter_count_ = waiters_.size();
  }
  check_if_single_node();
  return e;
}

void quiescence_detection::check() {
  const message_counts c = counts_();
  if (c.begun == c.ended) trigger(~std::uint64_t{0});
}

void quiescence_detection::trigger(std::uint64_t round) {
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
    } catch (const error&) {  // the runtime has ended the event: nobody waits any more
    }
  }
}

void quiescence_detection::advance() {
  if (!is_round_open_ && waiter_count_.load(std::memory_order_relaxed)) begin_round();
  const bool owes = is_round_open_ && !has_replied_[job_->self()];
  if (!owes && unanswered_queries_.empty()) return;
  const message_counts mine = counts_();
  if (mine.begun != mine.ended || mine.handling) return;  // otherwise rounds would follow one another
  for (const auto& [from, round] : unanswered_queries_) job_->send(from, quiescence_reply{round, mine});
  unanswered_queries_.clear();
  if (owes) add(job_->self(), mine);
}

void quiescence_detection::begin_round() {
  const std::uint64_t round = ++round_;
  is_round_open_ = true;
  this_round_ = {};
  has_replied_.assign(job_->nodes(), false);
  replies_missing_ = job_->nodes();
  for (rank r = 0; r < job_->nodes(); ++r) {
    if (r == job_->self()) continue;
    if (job_->is_lost(r)) add(r, {});
    else job_->send(r, quiescence_query{round});
  }
}

void quiescence_detection::on_query(rank from, const quiescence_query& m, base::thread_context&) {
  unanswered_queries_[from] = m.round;
}

void quiescence_detection::on_reply(rank from, const quiescence_reply& m, base::thread_context&) {
  if (m.round == round_.load() && is_round_open_) add(from, m.counts);
}

void quiescence_detection::add(rank from, const message_counts& c) {
  if (has_replied_[from]) return;
  has_replied_[from] = true;
  this_round_.begun += c.begun;
  this_round_.ended += c.ended;
  this_round_.handling += c.handling;
  if (--replies_missing_ == 0) end_round();
}

void quiescence_detection::end_round() {
  is_round_open_ = false;
  const bool is_quiet =
      has_last_round_ && last_round_.ended == this_round_.begun && !last_round_.handling && !this_round_.handling;
  last_round_ = this_round_;
  has_last_round_ = true;
  if (is_quiet) trigger(round_.load() - 1);
}

void quiescence_detection::on_node_failed(rank node) {
  has_last_round_ = false;  // the counts of the failed node are part of it
  unanswered_queries_.erase(node);
  if (is_round_open_ && !has_replied_[node]) {
    add(node, {});
    has_last_round_ = false;
  }
}

}  // namespace stretto::mobiles
