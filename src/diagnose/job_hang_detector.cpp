#include "diagnose/job_hang_detector.hpp"

#include <algorithm>
#include <utility>

#include "diagnose/merged_snapshot.hpp"
#include "diagnose/hang_report.hpp"

namespace stretto::diagnose {

using dist::rank;

job_watch::job_watch(dist::job& j)
    : job_(j),
      stuck_(j.on<&job_watch::on_stuck>("watch.stuck", this, dist::job::counted::no)),
      ask_(j.on<&job_watch::on_ask>("watch.ask", this, dist::job::counted::no)),
      answer_(j.on<&job_watch::on_answer>("watch.answer", this, dist::job::counted::no)),
      told_(j.on<&job_watch::on_told>("watch.told", this, dist::job::counted::no)),
      over_(j.on<&job_watch::on_over>("watch.over", this, dist::job::counted::no)) {
  j.add(*this);
}

bool job_watch::is_alone() const noexcept {
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self() && !job_.is_lost(r)) return false;
  return true;
}

// Who complains.

void job_watch::complain(wish w) {
  const rank to = job_.coordinator();
  if (to != job_.self()) return job_.send(to, stuck_, dist::writer(w));
  const std::scoped_lock lock(lock_);
  complaints_.resize(job_.nodes());
  complaints_[to] = w;
}

job_watch::answer job_watch::heard() const {
  const std::scoped_lock lock(lock_);
  return heard_;
}

bool job_watch::is_judging(clock::time_point since) const {
  const std::scoped_lock lock(lock_);
  if (job_.coordinator() != job_.self()) return asked_at_ >= since;
  return has_complaints();
}

bool job_watch::has_complaints() const {
  return phase_ != phase::idle || std::ranges::any_of(complaints_, [](const auto& c) { return c.has_value(); });
}

void job_watch::forget() {
  const std::scoped_lock lock(lock_);
  heard_ = answer::none;
}

bool job_watch::is_under_way() const {
  const std::scoped_lock lock(lock_);
  const bool is_judge = job_.coordinator() == job_.self();
  return asked_ || (is_judge && has_complaints());
}

// What comes; the watcher's thread deals with it.

void job_watch::on_stuck(rank from, dist::reader& content, base::thread_context&) {
  {
    const std::scoped_lock lock(lock_);
    complaints_.resize(job_.nodes());
    complaints_[from] = content.get<wish>();
  }
  wake();
}

void job_watch::on_ask(rank from, dist::reader& content, base::thread_context&) {
  const auto round = content.get<std::uint64_t>();
  {
    const std::scoped_lock lock(lock_);
    asked_ = question{from, round, content.get<std::uint8_t>() != 0};
    asked_at_ = clock::now();
  }
  wake();
}

void job_watch::on_answer(rank from, dist::reader& content, base::thread_context&) {
  const auto round = content.get<std::uint64_t>();
  report r;
  r.is_still = content.get<std::uint8_t>() != 0;
  r.progress = content.get<std::uint64_t>();
  r.sent = content.get<std::uint64_t>();
  r.handled = content.get<std::uint64_t>();
  if (content.left()) {
    const auto text = content.get_bytes(content.left());
    try {
      auto all = from_json({reinterpret_cast<const char*>(text.data()), text.size()});
      if (!all.empty()) r.snapshot = std::move(all.front());
    } catch (...) {
    }
  }
  {
    const std::scoped_lock lock(lock_);
    if (phase_ == phase::idle || round != round_) return;
    (phase_ == phase::first ? reports_ : again_)[from] = std::move(r);
  }
  wake();
}

void job_watch::on_told(rank, dist::reader& content, base::thread_context&) {
  {
    const std::scoped_lock lock(lock_);
    heard_ = content.get<answer>();
  }
  wake();
}

void job_watch::on_over(rank, dist::reader& content, base::thread_context& context) {
  if (content.get<passes_on>() == passes_on::yes)
    for (rank r = 0; r < job_.nodes(); ++r)
      if (r != job_.self() && !job_.is_lost(r)) job_.send(r, over_, dist::writer(passes_on::no));
  // What has gone on since then ends by itself, or is found the next time.
  if (faults_.progress && faults_.progress() == reported_.load(std::memory_order_acquire)) faults_.end_what_waits(context);
}

void job_watch::lost(rank, base::thread_context&) noexcept { wake(); }

// The watcher.

job_watch::report job_watch::report_of(const look& mine) {
  // Counted before the look: what comes meanwhile makes a difference to the next time.
  const dist::job::counts messages = job_.messages();
  standing s = mine();
  reported_.store(s.progress, std::memory_order_release);
  const bool is_still = s.snapshot.is_proven;
  return {is_still, s.progress, messages.sent, messages.handled, std::move(s.snapshot)};
}

std::optional<base::wait_snapshot> job_watch::advance(const look& mine, double limit, clock::time_point now) {
  std::unique_lock lock(lock_);
  if (const auto q = std::exchange(asked_, std::nullopt)) {
    lock.unlock();
    const report r = report_of(mine);
    dist::writer w(q->round, static_cast<std::uint8_t>(r.is_still), r.progress, r.sent, r.handled);
    if (q->wants_snapshot) {
      const std::string text = to_json({&*r.snapshot, 1});
      w.put_bytes(std::as_bytes(std::span(text)));
    }
    job_.send(q->from, answer_, w);
    lock.lock();
  }
  if (job_.coordinator() != job_.self()) return std::nullopt;
  if (phase_ == phase::idle) {
    if (std::ranges::none_of(complaints_, [](const auto& c) { return c.has_value(); })) return std::nullopt;
    ask_all(true, now);
    phase_ = phase::first;
    lock.unlock();
    report r = report_of(mine);
    lock.lock();
    reports_[job_.self()] = std::move(r);
  }
  if (phase_ == phase::first) {
    const bool are_here = have_all_answered(reports_);
    if (!are_here && now - begun_ < patience) return std::nullopt;
    if (!are_here || !are_all_still()) return unproven(limit);
    ask_all(false, now);
    phase_ = phase::second;
    return std::nullopt;
  }
  if (!have_all_answered(again_)) {
    if (now - begun_ > patience) end(answer::goes_on);
    return std::nullopt;
  }
  lock.unlock();
  report r = report_of(mine);
  lock.lock();
  if (phase_ != phase::second) return std::nullopt;
  again_[job_.self()] = std::move(r);
  if (!is_nothing_changed()) {
    if (is_worth_another_try()) phase_ = phase::idle;
    else end(answer::goes_on);
    return std::nullopt;
  }
  forget_what_is_old();
  if (are_faults_known() && !std::exchange(last_.is_over, true)) {
    end(answer::goes_on);
    end_what_waits();
    return std::nullopt;
  }
  end(answer::proven);
  if (std::exchange(last_.is_proven, true)) return std::nullopt;
  return of_all(true);
}

void job_watch::end_what_waits() {
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self() && !job_.is_lost(r)) return job_.send(r, over_, dist::writer(passes_on::yes));
}

void job_watch::ask_all(bool wants_snapshot, clock::time_point now) {
  ++round_;
  begun_ = now;
  (wants_snapshot ? reports_ : again_).assign(job_.nodes(), std::nullopt);
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self()) job_.send(r, ask_, dist::writer(round_, static_cast<std::uint8_t>(wants_snapshot)));
}

bool job_watch::have_all_answered(const std::vector<std::optional<report>>& in) const {
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self() && !in[r] && !job_.is_lost(r)) return false;
  return true;
}

bool job_watch::are_all_still() const {
  return std::ranges::all_of(reports_, [](const auto& r) { return !r || r->is_still; });
}

bool job_watch::is_nothing_changed() const {
  std::uint64_t sent = 0, handled = 0;
  for (rank r = 0; r < job_.nodes(); ++r) {
    if (job_.is_lost(r)) continue;
    const auto &before = reports_[r], &now = again_[r];
    if (!before || !now || !now->is_still || before->progress != now->progress || before->sent != now->sent ||
        before->handled != now->handled)
      return false;
    sent += now->sent;
    handled += now->handled;
  }
  return sent == handled;
}

base::wait_snapshot job_watch::of_all(bool is_proven) const {
  std::vector<base::wait_snapshot> all;
  for (const auto& r : reports_)
    if (r && r->snapshot) all.push_back(*r->snapshot);
  base::wait_snapshot m = merged(all);
  for (rank r = 0; r < job_.nodes(); ++r)
    if (!reports_[r] && !job_.is_lost(r)) m.unproven.push_back(job_.name_of(r) + " does not answer, as when all its workers are busy");
  m.is_proven = is_proven;
  return m;
}

void job_watch::forget_what_is_old() {
  std::uint64_t sum = 0;
  for (const auto& r : reports_)
    if (r) sum += r->progress + r->handled;
  if (sum != last_.progress) last_ = {.progress = sum};
}

// A thread may just have been awake, if only because of the question.
bool job_watch::is_worth_another_try() {
  forget_what_is_old();
  return ++last_.unsure % tries != 0;
}

std::optional<base::wait_snapshot> job_watch::unproven(double limit) {
  const bool is_wanted = std::ranges::any_of(complaints_, [](const auto& c) { return c && *c != wish::proof; });
  const bool at_once = std::ranges::any_of(complaints_, [](const auto& c) { return c == wish::at_once; });
  if (have_all_answered(reports_) && is_worth_another_try()) {
    phase_ = phase::idle;
    return std::nullopt;
  }
  base::wait_snapshot m = of_all(false);
  // Who does not answer may be at work; who does says for how long it has done nothing.
  const bool tells = at_once || (is_wanted && m.seconds >= limit && !last_.is_told);
  end(tells ? answer::told : answer::goes_on);
  if (!tells) return std::nullopt;
  last_.is_told = true;
  return m;
}

void job_watch::end(answer a) {
  for (rank r = 0; r < job_.nodes(); ++r) {
    if (!std::exchange(complaints_[r], std::nullopt)) continue;
    if (r == job_.self()) heard_ = a;
    else job_.send(r, told_, dist::writer(a));
  }
  phase_ = phase::idle;
}

}  // namespace stretto::diagnose
