#include "buffers/divergence_detector.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/numbers.hpp"

namespace stretto::buffers {
namespace {

constexpr std::size_t most_ahead_reports = 64;

divergence_verdict verdict_of(const divergence_report& d) {
  divergence_verdict m{d};
  for (divergence_report::group& g : m.found.groups) {
    g.what = shortened(g.what);
    g.where = shortened(g.where);
  }
  return m;
}

call_of_node call_on(std::uint32_t node, const call_history::call_description& d) {
  return {node, d.what, d.where, d.after};
}

}  // namespace

divergence_detector::divergence_detector(const call_history& of, std::uint32_t self, std::uint32_t nodes, callbacks c)
    : history_(of), self_(self), nodes_(nodes), callbacks_(std::move(c)) {
  if (self > 0) neighbours_.push_back((self - 1) / 2);
  for (std::uint64_t child = 2 * std::uint64_t{self} + 1; child <= 2 * std::uint64_t{self} + 2; ++child)
    if (child < nodes) neighbours_.push_back(static_cast<std::uint32_t>(child));
}

void divergence_detector::advance(base::thread_context& context) {
  const std::uint64_t calls = history_.calls();
  if (calls == reported_ && calls == seen_ && !has_queries_.load(std::memory_order_relaxed)) return;
  change_locked(context, [&](deferred_actions& out) {
    polls_without_call_ = calls == seen_ ? polls_without_call_ + 1 : 0;
    if (std::exchange(seen_, calls) != calls) compare_reports(out);
    if (!queries_.empty()) reply_to_queries(context);
    if (calls - reported_ >= most_unreported || (calls != reported_ && is_idle())) report_to_neighbours(calls);
  });
}

void divergence_detector::report_to_neighbours(std::uint64_t calls) {
  const auto hash = history_.hash_after(calls);
  reported_ = calls;
  if (!hash || has_concluded_) return;
  const message m = history_report{calls, *hash};
  for (const std::uint32_t n : neighbours_) callbacks_.send(n, m);
}

bool divergence_detector::differs(const history_report& r) const {
  const auto here = history_.hash_after(r.calls);
  return here && *here != r.hash;
}

void divergence_detector::compare_reports(deferred_actions& out) {
  for (auto& [node, reports] : ahead_) {
    const auto reached = std::ranges::find_if(reports, [&](const history_report& r) { return r.calls > seen_; });
    const auto wrong = std::find_if(reports.begin(), reached, [&](const history_report& r) { return differs(r); });
    if (wrong != reached) suspect(node, wrong->calls, out);
    reports.erase(reports.begin(), reached);
  }
}

void divergence_detector::suspect(std::uint32_t node, std::uint64_t calls, deferred_actions& out) {
  if (has_concluded_) return;
  if (!suspect_) suspect_.emplace(node, calls);
  if (!is_querying_) send_queries(out);
}

void divergence_detector::send_queries(deferred_actions& out) {
  is_querying_ = true;
  round_ = base::next(round_);
  queried_ = history_.window();
  replies_.clear();
  awaited_.clear();
  const message m = history_query{round_, queried_};
  for (std::uint32_t n = 0; n < nodes_; ++n) {
    if (n == self_ || failed_nodes_.contains(n)) continue;
    awaited_.insert(n);
    callbacks_.send(n, m);
  }
  end_round(out);
}

void divergence_detector::request_verdict(std::function<void()> then, base::thread_context& context) {
  change_locked(context, [&](deferred_actions& out) {
    if (is_reported_) {
      out.then.push_back(std::move(then));
    } else {
      then_.push_back(std::move(then));
      if (!has_concluded_ && !is_querying_) send_queries(out);
    }
  });
}

/// Counting polls is not enough: the system may have descheduled the worker that is about to make a call, or a message
/// may be in flight. So a minimum time applies, too.
bool divergence_detector::may_catch_up(std::uint64_t calls, const base::thread_context& context) {
  const std::uint64_t now = base::nanoseconds_now();
  if (std::exchange(calls_when_queried_, calls) != calls || !idle_since_ns_) idle_since_ns_ = now;
  if (has_ended_.load(std::memory_order_acquire)) return false;
  return polls_without_call_ < patience_polls ||
         (callbacks_.patience_ns && now - idle_since_ns_ < callbacks_.patience_ns(context));
}

void divergence_detector::reply_to_queries(const base::thread_context& context) {
  for (auto at = queries_.begin(); at != queries_.end();) {
    const auto& [from, q] = *at;
    // read first: the comparison covers these calls, and perhaps later ones
    const std::uint64_t calls = history_.calls();
    const call_history::comparison result = history_.compare(q.calls);
    const bool has_found = result.is == call_history::comparison::outcome::differs ||
                           result.is == call_history::comparison::outcome::differs_before;
    if (!has_found && calls < q.calls.first + q.calls.after.size() && may_catch_up(calls, context)) {
      ++at;  // this node may still catch up
      continue;
    }
    history_reply reply{.round = q.round, .result = result, .calls = calls};
    if (const auto call = history_.describe(result.number))
      reply.call = {shortened(call->what), shortened(call->where), call->after};
    callbacks_.send(from, reply);
    at = queries_.erase(at);
  }
  has_queries_.store(!queries_.empty(), std::memory_order_relaxed);
  if (queries_.empty()) idle_since_ns_ = 0;
}

void divergence_detector::end_round(deferred_actions& out) {
  if (!awaited_.empty()) return;
  is_querying_ = false;
  if (!has_concluded_) {
    if (auto found = divergence_found()) {
      const message verdict = verdict_of(*found);
      for (std::uint32_t n = 0; n < nodes_; ++n)
        if (n != self_ && !failed_nodes_.contains(n)) callbacks_.send(n, verdict);
      conclude(std::move(*found), out);
    }
  }
  suspect_.reset();
  if (!has_concluded_) out.then = std::exchange(then_, {});
}

std::optional<divergence_report> divergence_detector::divergence_found() const {
  using enum call_history::comparison::outcome;
  const auto has_found = [](const history_reply& r) { return r.result.is == differs || r.result.is == differs_before; };
  const history_reply* first = nullptr;
  for (const auto& [node, r] : replies_)
    if (has_found(r) && (!first || r.result.number < first->result.number)) first = &r;
  if (!first) {
    // The other node is so far ahead that it stores none of these calls.
    if (!suspect_ || !replies_.contains(suspect_->first)) return std::nullopt;
    const auto here = history_.describe(suspect_->second - 1);
    const call_of_node both[] = {
        {self_, here ? here->what : "a call that is not remembered", here ? here->where : "", 0},
        {suspect_->first, "another call, not remembered", "", 1}};
    return divergence_report_of(suspect_->second - 1, false, both);
  }
  const std::uint64_t number = first->result.number;
  std::vector<call_of_node> calls;
  const auto here = history_.describe(number);
  const call_of_node own{self_, here ? here->what : "a call that is not remembered", here ? here->where : "",
                         queried_.after[number - queried_.first]};
  calls.push_back(own);
  for (const auto& [node, r] : replies_) {
    if (has_found(r) && r.result.number == number) {
      calls.push_back(call_on(node, r.call));
    } else if (r.result.is != unknown && r.calls > number) {  // the same call as here: it differs later, if at all
      calls.push_back(own);
      calls.back().node = node;
    }
  }
  return divergence_report_of(number, first->result.is == differs, calls);
}

void divergence_detector::conclude(divergence_report d, deferred_actions& out) {
  if (!std::exchange(has_concluded_, true)) out.found = std::move(d);
}

void divergence_detector::run_deferred(deferred_actions& out, base::thread_context& context) {
  if (out.found) {
    callbacks_.on_divergence(*out.found, context);
    const std::scoped_lock lock(lock_);
    is_reported_ = true;
    out.then = std::exchange(then_, {});
  }
  for (const auto& then : out.then) then();
}

void divergence_detector::receive(std::uint32_t from, const history_report& m, base::thread_context& context) {
  change_locked(context, [&](deferred_actions& out) {
    if (m.calls <= history_.calls()) {
      if (differs(m)) suspect(from, m.calls, out);
      return;
    }
    std::vector<history_report>& waiting = ahead_[from];
    // The list is full: drop every other report, so that a slow node compares in ever larger steps.
    if (waiting.size() == most_ahead_reports)
      for (std::size_t i = 0; i < most_ahead_reports / 2; ++i)
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
    waiting.push_back(m);
  });
}

void divergence_detector::receive(std::uint32_t from, const history_query& m, base::thread_context& context) {
  change_locked(context, [&](deferred_actions&) {
    queries_[from] = m;
    reply_to_queries(context);
  });
}

void divergence_detector::receive(std::uint32_t from, const history_reply& m, base::thread_context& context) {
  change_locked(context, [&](deferred_actions& out) {
    if (m.round != round_ || !is_querying_ || !awaited_.erase(from)) return;
    replies_[from] = m;
    end_round(out);
  });
}

void divergence_detector::receive(std::uint32_t, const divergence_verdict& m, base::thread_context& context) {
  change_locked(context, [&](deferred_actions& out) { conclude(m.found, out); });
}

void divergence_detector::node_failed(std::uint32_t node, base::thread_context& context) noexcept {
  change_locked(context, [&](deferred_actions& out) {
    failed_nodes_.insert(node);
    queries_.erase(node);
    if (is_querying_ && awaited_.erase(node)) end_round(out);
  });
}

}  // namespace stretto::buffers
