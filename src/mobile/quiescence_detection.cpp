#include "mobile/quiescence_detection.hpp"

#include <utility>

#include <stretto/error.hpp>

namespace stretto::mobiles {

using dist::rank;

quiet_rounds::quiet_rounds(dist::job* j, std::function<letter_counts()> counts) : job_(j), counts_(std::move(counts)) {
  if (!j) return;
  ask_ = j->on<&quiet_rounds::on_ask>("quiet.ask", this);
  answer_ = j->on<&quiet_rounds::on_answer>("quiet.answer", this);
}

event quiet_rounds::ask(const std::source_location& where) {
  const auto e = user_event::create(where);
  {
    const std::scoped_lock hold(lock_);
    all_.push_back({e, round_.load()});
    waiting_ = all_.size();
  }
  look_if_alone();
  return e;
}

void quiet_rounds::look() {
  const letter_counts c = counts_();
  if (c.begun == c.ended) trigger(~std::uint64_t{0});
}

void quiet_rounds::trigger(std::uint64_t round) {
  std::vector<user_event> now;
  {
    const std::scoped_lock hold(lock_);
    std::erase_if(all_, [&](const waiter& w) {
      if (w.after >= round) return false;
      now.push_back(w.what);
      return true;
    });
    waiting_ = all_.size();
  }
  for (const user_event& e : now) {
    try {
      e.trigger();
    } catch (const error&) {  // the runtime has ended it: nobody waits any more
    }
  }
}

void quiet_rounds::advance() {
  if (!is_asking_ && waiting_.load(std::memory_order_relaxed)) begin_round();
  const bool owes = is_asking_ && !has_answered_[job_->self()];
  if (!owes && asked_.empty()) return;
  const letter_counts mine = counts_();
  if (mine.begun != mine.ended || mine.handling) return;  // rounds that find something would follow one another
  for (const auto& [from, round] : asked_) job_->send(from, answer_, dist::writer(round, mine.begun, mine.ended, mine.handling));
  asked_.clear();
  if (owes) add(job_->self(), mine);
}

void quiet_rounds::begin_round() {
  const std::uint64_t round = ++round_;
  is_asking_ = true;
  so_far_ = {};
  has_answered_.assign(job_->nodes(), false);
  missing_ = job_->nodes();
  for (rank r = 0; r < job_->nodes(); ++r) {
    if (r == job_->self()) continue;
    if (job_->is_lost(r)) add(r, {});
    else job_->send(r, ask_, dist::writer(round));
  }
}

void quiet_rounds::on_ask(rank from, dist::reader& content, base::thread_context&) { asked_[from] = content.get<std::uint64_t>(); }

void quiet_rounds::on_answer(rank from, dist::reader& content, base::thread_context&) {
  if (content.get<std::uint64_t>() != round_.load() || !is_asking_) return;
  letter_counts c;
  c.begun = content.get<std::uint64_t>();
  c.ended = content.get<std::uint64_t>();
  c.handling = content.get<std::uint64_t>();
  add(from, c);
}

void quiet_rounds::add(rank from, const letter_counts& c) {
  if (has_answered_[from]) return;
  has_answered_[from] = true;
  so_far_.begun += c.begun;
  so_far_.ended += c.ended;
  so_far_.handling += c.handling;
  if (--missing_ == 0) end_round();
}

void quiet_rounds::end_round() {
  is_asking_ = false;
  const bool is_quiet = has_before_ && before_.ended == so_far_.begun && !before_.handling && !so_far_.handling;
  before_ = so_far_;
  has_before_ = true;
  if (is_quiet) trigger(round_.load() - 1);
}

void quiet_rounds::lost(rank node) {
  has_before_ = false;  // its counts are among those
  asked_.erase(node);
  if (is_asking_ && !has_answered_[node]) {
    add(node, {});
    has_before_ = false;
  }
}

}  // namespace stretto::mobiles
