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
  const bool is_coordinator = job_.coordinator() == job_.self();
  return pending_query_ || (is_coordinator && has_verdict_requests());
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
  std::optional<base::wait_snapshot> snapshot;
  if (!m.snapshot.empty()) {
    try {
      auto all = from_json({reinterpret_cast<const char*>(m.snapshot.data()), m.snapshot.size()});
      if (!all.empty()) snapshot = std::move(all.front());
    } catch (...) {
    }
  }
  {
    const std::scoped_lock lock(lock_);
    if (!round_.add(from, m.round, {m.is_still ? 0u : 1u, m.progress, m.sent, m.handled})) return;
    if (snapshot) snapshots_[from] = std::move(snapshot);
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

void job_hang_detector::lost(rank node, base::thread_context&) noexcept {
  {
    const std::scoped_lock lock(lock_);
    round_.on_node_failed(node);
  }
  wake();
}

// On the monitor's thread.

job_hang_detector::node_report job_hang_detector::report_of(const state_reader& own_state) {
  // Read the counts before the snapshot, so that a message in between changes the next report.
  const dist::job::counts messages = job_.messages();
  node_state s = own_state();
  reported_progress_.store(s.progress, std::memory_order_release);
  return {{s.snapshot.is_proven ? 0u : 1u, s.progress, messages.sent, messages.handled}, std::move(s.snapshot)};
}

std::optional<base::wait_snapshot> job_hang_detector::advance(const state_reader& own_state, double limit,
                                                              clock::time_point now) {
  std::unique_lock lock(lock_);
  if (const auto q = std::exchange(pending_query_, std::nullopt)) {
    lock.unlock();
    const node_report r = report_of(own_state);
    const std::string snapshot = q->with_snapshot ? to_json({&r.snapshot, 1}) : std::string();
    job_.send(q->from, hang_reply{.round = q->round,
                                  .is_still = !r.count.active_nodes,
                                  .progress = r.count.progress,
                                  .sent = r.count.sent,
                                  .handled = r.count.handled,
                                  .snapshot = std::as_bytes(std::span(snapshot))});
    lock.lock();
  }
  if (job_.coordinator() != job_.self()) return std::nullopt;
  if (phase_ == phase::idle) {
    if (!has_verdict_requests()) return std::nullopt;
    begin_round(true, now);
    phase_ = phase::first;
    lock.unlock();
    node_report r = report_of(own_state);
    lock.lock();
    round_.add(job_.self(), round_.number(), r.count);
    snapshots_[job_.self()] = std::move(r.snapshot);
  }
  if (phase_ == phase::first) {
    if (!round_.is_complete()) return now - begun_ < reply_timeout ? std::nullopt : end_without_proof(limit);
    first_counts_ = round_.end().sum;
    if (first_counts_.active_nodes) return end_without_proof(limit);
    begin_round(false, now);
    phase_ = phase::second;
    return std::nullopt;
  }
  if (round_.missing_replies() > 1) {  // not only that of this node
    if (now - begun_ > reply_timeout) send_verdict(verdict::progress_elsewhere);
    return std::nullopt;
  }
  lock.unlock();
  const node_report r = report_of(own_state);
  lock.lock();
  round_.add(job_.self(), round_.number(), r.count);
  const auto second = round_.end();
  if (!second.is_unchanged || second.sum.sent != second.sum.handled) {
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

void job_hang_detector::begin_round(bool with_snapshot, clock::time_point now) {
  begun_ = now;
  if (with_snapshot) {
    round_.forget_previous();
    snapshots_.assign(job_.nodes(), std::nullopt);
  }
  const dist::round_number round = round_.begin(job_.nodes(), [this](rank r) { return job_.is_lost(r); });
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self()) job_.send(r, hang_query{round, with_snapshot});
}

base::wait_snapshot job_hang_detector::merged_reports(bool is_proven) const {
  std::vector<base::wait_snapshot> all;
  for (const auto& s : snapshots_)
    if (s) all.push_back(*s);
  base::wait_snapshot m = merge_snapshots(all);
  for (rank r = 0; r < job_.nodes(); ++r)
    if (round_.awaits(r) && !job_.is_lost(r))
      m.unproven.push_back(job_.name_of(r) + " does not answer, as when all its workers are busy");
  m.is_proven = is_proven;
  return m;
}

void job_hang_detector::reset_if_progressed() {
  const std::uint64_t sum = first_counts_.progress + first_counts_.handled;
  if (sum != last_report_.progress) last_report_ = {.progress = sum};
}

// The query itself may have woken a thread.
bool job_hang_detector::should_retry() {
  reset_if_progressed();
  return ++last_report_.unproven_rounds % max_unproven_rounds != 0;
}

std::optional<base::wait_snapshot> job_hang_detector::end_without_proof(double limit) {
  const bool is_wanted =
      std::ranges::any_of(verdict_requests_, [](const auto& c) { return c && *c != verdict_request::proven_only; });
  const bool at_once =
      std::ranges::any_of(verdict_requests_, [](const auto& c) { return c == verdict_request::at_once; });
  if (!round_.missing_replies() && should_retry()) {
    phase_ = phase::idle;
    return std::nullopt;
  }
  base::wait_snapshot m = merged_reports(false);
  // A node that does not reply may be working; the others report how long they have made no progress.
  const bool reports = at_once || (is_wanted && m.seconds >= limit && !last_report_.is_reported);
  send_verdict(reports ? verdict::reported : verdict::progress_elsewhere);
  if (!reports) return std::nullopt;
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
  round_.close();
}

}  // namespace stretto::diagnose
