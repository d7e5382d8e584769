#include "diagnose/job_hang_detector.hpp"

#include <algorithm>
#include <utility>

#include "diagnose/hang_report.hpp"
#include "diagnose/merged_snapshot.hpp"

namespace stretto::diagnose {

using dist::rank;

job_hang_detector::job_hang_detector(dist::job& j) : job_(j) {
  j.on<&job_hang_detector::on_request>(this);
  j.on<&job_hang_detector::on_query>(this);
  j.on<&job_hang_detector::on_reply>(this);
  j.on<&job_hang_detector::on_verdict>(this);
  j.on<&job_hang_detector::on_end_waits>(this);
  j.add(*this);
}

bool job_hang_detector::is_alone() const noexcept {
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self() && !job_.is_lost(r)) return false;
  return true;
}

// On a stalled node.

void job_hang_detector::request_verdict(verdict_request w) {
  const rank to = job_.coordinator();
  if (to != job_.self()) return job_.send(to, hang_request{w});
  const std::scoped_lock lock(lock_);
  verdict_requests_.resize(job_.nodes());
  verdict_requests_[to] = w;
}

job_hang_detector::verdict job_hang_detector::last_verdict() const {
  const std::scoped_lock lock(lock_);
  return last_verdict_;
}

bool job_hang_detector::is_deciding(clock::time_point since) const {
  const std::scoped_lock lock(lock_);
  if (job_.coordinator() != job_.self()) return queried_at_ >= since;
  return has_verdict_requests();
}

bool job_hang_detector::has_verdict_requests() const {
  return phase_ != phase::idle || std::ranges::any_of(verdict_requests_, [](const auto& c) { return c.has_value(); });
}

void job_hang_detector::forget() {
  const std::scoped_lock lock(lock_);
  last_verdict_ = verdict::none;
}

bool job_hang_detector::needs_advance() const {
  const std::scoped_lock lock(lock_);
  const bool is_judge = job_.coordinator() == job_.self();
  return pending_query_ || (is_judge && has_verdict_requests());
}

// Handlers. The monitor's thread processes what they store.

void job_hang_detector::on_request(rank from, const hang_request& m, base::thread_context&) {
  {
    const std::scoped_lock lock(lock_);
    verdict_requests_.resize(job_.nodes());
    verdict_requests_[from] = m.wanted;
  }
  wake();
}

void job_hang_detector::on_query(rank from, const hang_query& m, base::thread_context&) {
  {
    const std::scoped_lock lock(lock_);
    pending_query_ = coordinator_query{from, m.round, m.with_snapshot};
    queried_at_ = clock::now();
  }
  wake();
}

void job_hang_detector::on_reply(rank from, const hang_reply& m, base::thread_context&) {
  node_report r{m.is_still, m.progress, m.sent, m.handled, {}};
  if (!m.snapshot.empty()) {
    try {
      auto all = from_json({reinterpret_cast<const char*>(m.snapshot.data()), m.snapshot.size()});
      if (!all.empty()) r.snapshot = std::move(all.front());
    } catch (...) {
    }
  }
  {
    const std::scoped_lock lock(lock_);
    if (phase_ == phase::idle || m.round != round_) return;
    (phase_ == phase::first ? first_reports_ : second_reports_)[from] = std::move(r);
  }
  wake();
}

void job_hang_detector::on_verdict(rank, const hang_decision& m, base::thread_context&) {
  {
    const std::scoped_lock lock(lock_);
    last_verdict_ = m.is;
  }
  wake();
}

void job_hang_detector::on_end_waits(rank, const hang_end& m, base::thread_context& context) {
  if (m.is_to_be_forwarded)
    for (rank r = 0; r < job_.nodes(); ++r)
      if (r != job_.self() && !job_.is_lost(r)) job_.send(r, hang_end{.is_to_be_forwarded = false});
  // Without progress since the report, end the waits. Otherwise they end by themselves, or the next verdict finds them.
  if (failure_hooks_.progress && failure_hooks_.progress() == reported_progress_.load(std::memory_order_acquire))
    failure_hooks_.end_waits(context);
}

void job_hang_detector::lost(rank, base::thread_context&) noexcept { wake(); }

// On the monitor's thread.

job_hang_detector::node_report job_hang_detector::report_of(const state_reader& own_state) {
  // Read the counts before the snapshot, so that a message in between changes the next report.
  const dist::job::counts messages = job_.messages();
  node_state s = own_state();
  reported_progress_.store(s.progress, std::memory_order_release);
  const bool is_still = s.snapshot.is_proven;
  return {is_still, s.progress, messages.sent, messages.handled, std::move(s.snapshot)};
}

std::optional<base::wait_snapshot> job_hang_detector::advance(const state_reader& own_state, double limit,
                                                              clock::time_point now) {
  std::unique_lock lock(lock_);
  if (const auto q = std::exchange(pending_query_, std::nullopt)) {
    lock.unlock();
    const node_report r = report_of(own_state);
    const std::string snapshot = q->with_snapshot ? to_json({&*r.snapshot, 1}) : std::string();
    job_.send(q->from, hang_reply{.round = q->round,
                                  .is_still = r.is_still,
                                  .progress = r.progress,
                                  .sent = r.sent,
                                  .handled = r.handled,
                                  .snapshot = std::as_bytes(std::span(snapshot))});
    lock.lock();
  }
  if (job_.coordinator() != job_.self()) return std::nullopt;
  if (phase_ == phase::idle) {
    if (std::ranges::none_of(verdict_requests_, [](const auto& c) { return c.has_value(); })) return std::nullopt;
    query_all(true, now);
    phase_ = phase::first;
    lock.unlock();
    node_report r = report_of(own_state);
    lock.lock();
    first_reports_[job_.self()] = std::move(r);
  }
  if (phase_ == phase::first) {
    const bool are_here = have_all_replied(first_reports_);
    if (!are_here && now - begun_ < reply_timeout) return std::nullopt;
    if (!are_here || !are_all_still()) return unproven(limit);
    query_all(false, now);
    phase_ = phase::second;
    return std::nullopt;
  }
  if (!have_all_replied(second_reports_)) {
    if (now - begun_ > reply_timeout) send_verdict(verdict::progress_elsewhere);
    return std::nullopt;
  }
  lock.unlock();
  node_report r = report_of(own_state);
  lock.lock();
  if (phase_ != phase::second) return std::nullopt;
  second_reports_[job_.self()] = std::move(r);
  if (!is_unchanged()) {
    if (should_retry()) phase_ = phase::idle;
    else send_verdict(verdict::progress_elsewhere);
    return std::nullopt;
  }
  reset_if_progressed();
  if (is_failure_known() && !std::exchange(last_report_.has_ended_waits, true)) {
    send_verdict(verdict::progress_elsewhere);
    broadcast_end_waits();
    return std::nullopt;
  }
  send_verdict(verdict::proven);
  if (std::exchange(last_report_.is_proven, true)) return std::nullopt;
  return merged_reports(true);
}

void job_hang_detector::broadcast_end_waits() {
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self() && !job_.is_lost(r)) return job_.send(r, hang_end{.is_to_be_forwarded = true});
}

void job_hang_detector::query_all(bool with_snapshot, clock::time_point now) {
  ++round_;
  begun_ = now;
  (with_snapshot ? first_reports_ : second_reports_).assign(job_.nodes(), std::nullopt);
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self()) job_.send(r, hang_query{round_, with_snapshot});
}

bool job_hang_detector::have_all_replied(const std::vector<std::optional<node_report>>& in) const {
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self() && !in[r] && !job_.is_lost(r)) return false;
  return true;
}

bool job_hang_detector::are_all_still() const {
  return std::ranges::all_of(first_reports_, [](const auto& r) { return !r || r->is_still; });
}

bool job_hang_detector::is_unchanged() const {
  std::uint64_t sent = 0, handled = 0;
  for (rank r = 0; r < job_.nodes(); ++r) {
    if (job_.is_lost(r)) continue;
    const auto &before = first_reports_[r], &now = second_reports_[r];
    if (!before || !now || !now->is_still || before->progress != now->progress || before->sent != now->sent ||
        before->handled != now->handled)
      return false;
    sent += now->sent;
    handled += now->handled;
  }
  return sent == handled;
}

base::wait_snapshot job_hang_detector::merged_reports(bool is_proven) const {
  std::vector<base::wait_snapshot> all;
  for (const auto& r : first_reports_)
    if (r && r->snapshot) all.push_back(*r->snapshot);
  base::wait_snapshot m = merge_snapshots(all);
  for (rank r = 0; r < job_.nodes(); ++r)
    if (!first_reports_[r] && !job_.is_lost(r))
      m.unproven.push_back(job_.name_of(r) + " does not answer, as when all its workers are busy");
  m.is_proven = is_proven;
  return m;
}

void job_hang_detector::reset_if_progressed() {
  std::uint64_t sum = 0;
  for (const auto& r : first_reports_)
    if (r) sum += r->progress + r->handled;
  if (sum != last_report_.progress) last_report_ = {.progress = sum};
}

// The query itself may have woken a thread.
bool job_hang_detector::should_retry() {
  reset_if_progressed();
  return ++last_report_.unproven_rounds % max_unproven_rounds != 0;
}

std::optional<base::wait_snapshot> job_hang_detector::unproven(double limit) {
  const bool is_wanted =
      std::ranges::any_of(verdict_requests_, [](const auto& c) { return c && *c != verdict_request::proven_only; });
  const bool at_once =
      std::ranges::any_of(verdict_requests_, [](const auto& c) { return c == verdict_request::at_once; });
  if (have_all_replied(first_reports_) && should_retry()) {
    phase_ = phase::idle;
    return std::nullopt;
  }
  base::wait_snapshot m = merged_reports(false);
  // A node that does not reply may be working; the others report how long they have made no progress.
  const bool tells = at_once || (is_wanted && m.seconds >= limit && !last_report_.is_reported);
  send_verdict(tells ? verdict::reported : verdict::progress_elsewhere);
  if (!tells) return std::nullopt;
  last_report_.is_reported = true;
  return m;
}

void job_hang_detector::send_verdict(verdict a) {
  for (rank r = 0; r < job_.nodes(); ++r) {
    if (!std::exchange(verdict_requests_[r], std::nullopt)) continue;
    if (r == job_.self()) last_verdict_ = a;
    else job_.send(r, hang_decision{a});
  }
  phase_ = phase::idle;
}

}  // namespace stretto::diagnose
