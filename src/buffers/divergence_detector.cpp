#include "buffers/divergence_detector.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"

namespace stretto::buffers {
namespace {

constexpr std::size_t most_ahead_reports = 64, most_text = 4096;

void put(base::writer& w, const divergence_report& d) {
  w.put(d.number).put(d.is_first).put(std::uint64_t{d.groups.size()});
  for (const divergence_report::group& g : d.groups) {
    w.put_text(g.what, most_text).put_text(g.where, most_text).put(g.after).put(std::uint64_t{g.nodes.size()});
    for (const std::uint32_t n : g.nodes) w.put(n);
  }
}

divergence_report get_divergence_report(base::reader& encoded) {
  divergence_report d;
  d.number = encoded.get<std::uint64_t>();
  d.is_first = encoded.get<bool>();
  for (std::uint64_t left = encoded.get<std::uint64_t>(); left > 0 && encoded.is_whole(); --left) {
    divergence_report::group& g = d.groups.emplace_back();
    g.what = encoded.get_text();
    g.where = encoded.get_text();
    g.after = encoded.get<std::uint64_t>();
    for (std::uint64_t n = encoded.get<std::uint64_t>(); n > 0 && encoded.is_whole(); --n)
      g.nodes.push_back(encoded.get<std::uint32_t>());
  }
  return d;
}

}  // namespace

divergence_detector::divergence_detector(const call_history& of, std::uint32_t self, std::uint32_t nodes, callbacks c)
    : history_(of), self_(self), nodes_(nodes), callbacks_(std::move(c)) {
  if (self > 0) neighbours_.push_back((self - 1) / 2);
  for (std::uint64_t child = 2 * std::uint64_t{self} + 1; child <= 2 * std::uint64_t{self} + 2; ++child)
    if (child < nodes) neighbours_.push_back(static_cast<std::uint32_t>(child));
}

void divergence_detector::polled(base::thread_context& context) {
  const std::uint64_t calls = history_.calls();
  if (calls == reported_ && calls == seen_ && !has_queries_.load(std::memory_order_relaxed)) return;
  deferred_actions out;
  {
    const std::scoped_lock lock(lock_);
    polls_without_call_ = calls == seen_ ? polls_without_call_ + 1 : 0;
    if (std::exchange(seen_, calls) != calls) compare_reports(out);
    if (!queries_.empty()) reply_to_queries(context);
    if (calls - reported_ >= most_unreported || (calls != reported_ && is_idle())) report_to_neighbours(calls);
  }
  run_deferred(out, context);
}

void divergence_detector::report_to_neighbours(std::uint64_t calls) {
  const auto hash = history_.hash_after(calls);
  reported_ = calls;
  if (!hash || has_concluded_) return;
  base::writer w;
  w.put(static_cast<std::uint64_t>(message_kind::report)).put(calls).put(*hash);
  for (const std::uint32_t n : neighbours_) callbacks_.send(n, w.all());
}

bool divergence_detector::differs(const report& r) const {
  const auto here = history_.hash_after(r.calls);
  return here && *here != r.hash;
}

void divergence_detector::compare_reports(deferred_actions& out) {
  for (auto& [node, reports] : ahead_) {
    const auto reached = std::ranges::find_if(reports, [&](const report& r) { return r.calls > seen_; });
    const auto wrong = std::find_if(reports.begin(), reached, [&](const report& r) { return differs(r); });
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
  ++round_;
  queried_ = history_.window();
  replies_.clear();
  awaited_.clear();
  base::writer w;
  w.put(static_cast<std::uint64_t>(message_kind::query))
      .put(round_)
      .put(queried_.first)
      .put(std::uint64_t{queried_.after.size()});
  for (const std::uint64_t h : queried_.after) w.put(h);
  for (std::uint32_t n = 0; n < nodes_; ++n) {
    if (n == self_ || failed_nodes_.contains(n)) continue;
    awaited_.insert(n);
    callbacks_.send(n, w.all());
  }
  end_round(out);
}

void divergence_detector::request_verdict(std::function<void()> then, base::thread_context& context) {
  deferred_actions out;
  {
    const std::scoped_lock lock(lock_);
    if (has_concluded_) {
      out.then.push_back(std::move(then));
    } else {
      then_.push_back(std::move(then));
      if (!is_querying_) send_queries(out);
    }
  }
  run_deferred(out, context);
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
    const call_history::comparison is = history_.compare(q.theirs);
    const bool has_found = is.is == call_history::comparison::outcome::differs ||
                           is.is == call_history::comparison::outcome::differs_before;
    if (!has_found && calls < q.theirs.first + q.theirs.after.size() && may_catch_up(calls, context)) {
      ++at;  // this node may still catch up
      continue;
    }
    const auto call = history_.describe(is.number);
    base::writer w;
    w.put(static_cast<std::uint64_t>(message_kind::reply))
        .put(q.round)
        .put(static_cast<std::uint64_t>(is.is))
        .put(is.number)
        .put(calls);
    if (call) w.put_text(call->what, most_text).put_text(call->where, most_text).put(call->after);
    callbacks_.send(from, w.all());
    at = queries_.erase(at);
  }
  has_queries_.store(!queries_.empty(), std::memory_order_relaxed);
  if (queries_.empty()) idle_since_ns_ = 0;
}

void divergence_detector::receive_reply(std::uint32_t from, base::reader& encoded, deferred_actions& out) {
  if (encoded.get<std::uint64_t>() != round_ || !is_querying_ || !awaited_.erase(from)) return;
  reply& a = replies_[from];
  a.is.is = static_cast<call_history::comparison::outcome>(encoded.get<std::uint64_t>());
  a.is.number = encoded.get<std::uint64_t>();
  a.calls = encoded.get<std::uint64_t>();
  a.call.node = from;
  a.call.what = encoded.get_text();
  a.call.where = encoded.get_text();
  a.call.after = encoded.get<std::uint64_t>();
  end_round(out);
}

void divergence_detector::end_round(deferred_actions& out) {
  if (!awaited_.empty()) return;
  is_querying_ = false;
  if (!has_concluded_) {
    if (auto found = divergence_found()) {
      base::writer w;
      w.put(static_cast<std::uint64_t>(message_kind::verdict));
      put(w, *found);
      for (std::uint32_t n = 0; n < nodes_; ++n)
        if (n != self_ && !failed_nodes_.contains(n)) callbacks_.send(n, w.all());
      conclude(std::move(*found), out);
    }
  }
  suspect_.reset();
  std::ranges::move(std::exchange(then_, {}), std::back_inserter(out.then));
}

std::optional<divergence_report> divergence_detector::divergence_found() const {
  using enum call_history::comparison::outcome;
  const auto has_found = [](const reply& a) { return a.is.is == differs || a.is.is == differs_before; };
  const reply* first = nullptr;
  for (const auto& [node, a] : replies_)
    if (has_found(a) && (!first || a.is.number < first->is.number)) first = &a;
  if (!first) {
    // The other node is so far ahead that it stores none of these calls.
    if (!suspect_ || !replies_.contains(suspect_->first)) return std::nullopt;
    const auto here = history_.describe(suspect_->second - 1);
    const call_of_node both[] = {
        {self_, here ? here->what : "a call that is not remembered", here ? here->where : "", 0},
        {suspect_->first, "another call, not remembered", "", 1}};
    return divergence_report_of(suspect_->second - 1, false, both);
  }
  const std::uint64_t number = first->is.number;
  std::vector<call_of_node> calls;
  const auto here = history_.describe(number);
  const call_of_node own{self_, here ? here->what : "a call that is not remembered", here ? here->where : "",
                         queried_.after[number - queried_.first]};
  calls.push_back(own);
  for (const auto& [node, a] : replies_) {
    if (has_found(a) && a.is.number == number) {
      calls.push_back(a.call);
    } else if (a.is.is != unknown && a.calls > number) {  // the same call as here: it differs later, if at all
      calls.push_back(own);
      calls.back().node = node;
    }
  }
  return divergence_report_of(number, first->is.is == differs, calls);
}

void divergence_detector::conclude(divergence_report d, deferred_actions& out) {
  if (std::exchange(has_concluded_, true)) return;
  out.found = std::move(d);
  std::ranges::move(std::exchange(then_, {}), std::back_inserter(out.then));
}

void divergence_detector::run_deferred(deferred_actions& out, base::thread_context& context) {
  if (out.found) callbacks_.on_divergence(*out.found, context);
  for (const auto& then : out.then) then();
}

bool divergence_detector::heard(std::uint32_t from, std::span<const std::byte> encoded, base::thread_context& context) {
  base::reader read(encoded);
  deferred_actions out;
  {
    const std::scoped_lock lock(lock_);
    switch (static_cast<message_kind>(read.get<std::uint64_t>())) {
      case message_kind::report: {
        report r;
        r.calls = read.get<std::uint64_t>();
        r.hash = read.get<std::uint64_t>();
        if (r.calls <= history_.calls()) {
          if (differs(r)) suspect(from, r.calls, out);
          break;
        }
        std::vector<report>& waiting = ahead_[from];
        // The list is full: drop every other report, so that a slow node compares in ever larger steps.
        if (waiting.size() == most_ahead_reports)
          for (std::size_t i = 0; i < most_ahead_reports / 2; ++i)
            waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
        waiting.push_back(r);
        break;
      }
      case message_kind::query: {
        query& q = queries_[from];
        q.round = read.get<std::uint64_t>();
        q.theirs = {.first = read.get<std::uint64_t>()};
        for (std::uint64_t left = read.get<std::uint64_t>(); left > 0 && read.is_whole(); --left)
          q.theirs.after.push_back(read.get<std::uint64_t>());
        reply_to_queries(context);
        break;
      }
      case message_kind::reply: receive_reply(from, read, out); break;
      case message_kind::verdict: conclude(get_divergence_report(read), out); break;
      default: return false;
    }
  }
  run_deferred(out, context);
  return true;
}

void divergence_detector::lost(std::uint32_t node, base::thread_context& context) noexcept {
  deferred_actions out;
  {
    const std::scoped_lock lock(lock_);
    failed_nodes_.insert(node);
    queries_.erase(node);
    if (is_querying_ && awaited_.erase(node)) end_round(out);
  }
  run_deferred(out, context);
}

}  // namespace stretto::buffers
