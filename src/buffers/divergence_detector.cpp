#include "buffers/divergence_detector.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"

namespace stretto::buffers {
namespace {

constexpr std::size_t most_ahead_reports = 64, most_text = 4096;

void put(base::writer& w, const parting& d) {
  w.put(d.number).put(d.is_first).put(std::uint64_t{d.groups.size()});
  for (const parting::group& g : d.groups) {
    w.put_text(g.what, most_text).put_text(g.where, most_text).put(g.after).put(std::uint64_t{g.nodes.size()});
    for (const std::uint32_t n : g.nodes) w.put(n);
  }
}

parting get_parting(base::reader& words) {
  parting d;
  d.number = words.get<std::uint64_t>();
  d.is_first = words.get<bool>();
  for (std::uint64_t left = words.get<std::uint64_t>(); left > 0 && words.is_whole(); --left) {
    parting::group& g = d.groups.emplace_back();
    g.what = words.get_text();
    g.where = words.get_text();
    g.after = words.get<std::uint64_t>();
    for (std::uint64_t n = words.get<std::uint64_t>(); n > 0 && words.is_whole(); --n) g.nodes.push_back(words.get<std::uint32_t>());
  }
  return d;
}

}  // namespace

agreement::agreement(const course& of, std::uint32_t self, std::uint32_t nodes, ways w)
    : course_(of), self_(self), nodes_(nodes), ways_(std::move(w)) {
  if (self > 0) neighbours_.push_back((self - 1) / 2);
  for (std::uint64_t child = 2 * std::uint64_t{self} + 1; child <= 2 * std::uint64_t{self} + 2; ++child)
    if (child < nodes) neighbours_.push_back(static_cast<std::uint32_t>(child));
}

void agreement::polled(base::thread_context& context) {
  const std::uint64_t calls = course_.calls();
  if (calls == reported_ && calls == seen_ && !is_asked_.load(std::memory_order_relaxed)) return;
  outcome out;
  {
    const std::scoped_lock lock(lock_);
    quiet_polls_ = calls == seen_ ? quiet_polls_ + 1 : 0;
    if (std::exchange(seen_, calls) != calls) look_at_reports(out);
    if (!questions_.empty()) answer_questions(context);
    if (calls - reported_ >= most_unreported || (calls != reported_ && is_idle())) tell_neighbours(calls);
  }
  act(out, context);
}

void agreement::tell_neighbours(std::uint64_t calls) {
  const auto hash = course_.hash_after(calls);
  reported_ = calls;
  if (!hash || has_concluded_) return;
  base::writer w;
  w.put(static_cast<std::uint64_t>(word::report)).put(calls).put(*hash);
  for (const std::uint32_t n : neighbours_) ways_.say(n, w.all());
}

bool agreement::differs(const report& r) const {
  const auto here = course_.hash_after(r.calls);
  return here && *here != r.hash;
}

void agreement::look_at_reports(outcome& out) {
  for (auto& [node, reports] : ahead_) {
    const auto reached = std::ranges::find_if(reports, [&](const report& r) { return r.calls > seen_; });
    const auto wrong = std::find_if(reports.begin(), reached, [&](const report& r) { return differs(r); });
    if (wrong != reached) suspect(node, wrong->calls, out);
    reports.erase(reports.begin(), reached);
  }
}

void agreement::suspect(std::uint32_t node, std::uint64_t calls, outcome& out) {
  if (has_concluded_) return;
  if (!suspect_) suspect_.emplace(node, calls);
  if (!is_asking_) ask(out);
}

void agreement::ask(outcome& out) {
  is_asking_ = true;
  ++round_;
  asked_ = course_.remembered();
  answers_.clear();
  waits_for_.clear();
  base::writer w;
  w.put(static_cast<std::uint64_t>(word::question)).put(round_).put(asked_.first).put(std::uint64_t{asked_.after.size()});
  for (const std::uint64_t h : asked_.after) w.put(h);
  for (std::uint32_t n = 0; n < nodes_; ++n) {
    if (n == self_ || lost_.contains(n)) continue;
    waits_for_.insert(n);
    ways_.say(n, w.all());
  }
  end_round(out);
}

void agreement::explain(std::function<void()> then, base::thread_context& context) {
  outcome out;
  {
    const std::scoped_lock lock(lock_);
    if (has_concluded_) {
      out.then.push_back(std::move(then));
    } else {
      then_.push_back(std::move(then));
      if (!is_asking_) ask(out);
    }
  }
  act(out, context);
}

/// Polls alone are soon over: while the system lets the worker stand that is about to make a call, or a message is on its way.
bool agreement::may_come_as_far(std::uint64_t calls, const base::thread_context& context) {
  const std::uint64_t now = base::nanoseconds_now();
  if (std::exchange(calls_when_asked_, calls) != calls || !quiet_since_) quiet_since_ = now;
  if (has_ended_.load(std::memory_order_acquire)) return false;
  return quiet_polls_ < patience || (ways_.patience_ns && now - quiet_since_ < ways_.patience_ns(context));
}

void agreement::answer_questions(const base::thread_context& context) {
  for (auto at = questions_.begin(); at != questions_.end();) {
    const auto& [from, q] = *at;
    const std::uint64_t calls = course_.calls();  // all of which are compared, and perhaps some that are made meanwhile
    const course::comparison is = course_.compare(q.theirs);
    const bool has_found = is.is == course::comparison::outcome::differs || is.is == course::comparison::outcome::differs_before;
    if (!has_found && calls < q.theirs.first + q.theirs.after.size() && may_come_as_far(calls, context)) {
      ++at;  // it goes on, and may come as far
      continue;
    }
    const auto call = course_.tell(is.number);
    base::writer w;
    w.put(static_cast<std::uint64_t>(word::answer)).put(q.round).put(static_cast<std::uint64_t>(is.is)).put(is.number).put(calls);
    if (call) w.put_text(call->what, most_text).put_text(call->where, most_text).put(call->after);
    ways_.say(from, w.all());
    at = questions_.erase(at);
  }
  is_asked_.store(!questions_.empty(), std::memory_order_relaxed);
  if (questions_.empty()) quiet_since_ = 0;
}

void agreement::take_answer(std::uint32_t from, base::reader& words, outcome& out) {
  if (words.get<std::uint64_t>() != round_ || !is_asking_ || !waits_for_.erase(from)) return;
  answer& a = answers_[from];
  a.is.is = static_cast<course::comparison::outcome>(words.get<std::uint64_t>());
  a.is.number = words.get<std::uint64_t>();
  a.calls = words.get<std::uint64_t>();
  a.call.node = from;
  a.call.what = words.get_text();
  a.call.where = words.get_text();
  a.call.after = words.get<std::uint64_t>();
  end_round(out);
}

void agreement::end_round(outcome& out) {
  if (!waits_for_.empty()) return;
  is_asking_ = false;
  if (!has_concluded_) {
    if (auto found = found_by_round()) {
      base::writer w;
      w.put(static_cast<std::uint64_t>(word::verdict));
      put(w, *found);
      for (std::uint32_t n = 0; n < nodes_; ++n)
        if (n != self_ && !lost_.contains(n)) ways_.say(n, w.all());
      conclude(std::move(*found), out);
    }
  }
  suspect_.reset();
  std::ranges::move(std::exchange(then_, {}), std::back_inserter(out.then));
}

std::optional<parting> agreement::found_by_round() const {
  using enum course::comparison::outcome;
  const auto has_found = [](const answer& a) { return a.is.is == differs || a.is.is == differs_before; };
  const answer* first = nullptr;
  for (const auto& [node, a] : answers_)
    if (has_found(a) && (!first || a.is.number < first->is.number)) first = &a;
  if (!first) {
    // It is so far ahead that it remembers none of these calls.
    if (!suspect_ || !answers_.contains(suspect_->first)) return std::nullopt;
    const auto here = course_.tell(suspect_->second - 1);
    const call_of_node both[] = {{self_, here ? here->what : "a call that is not remembered", here ? here->where : "", 0},
                                 {suspect_->first, "another call, not remembered", "", 1}};
    return parting_of(suspect_->second - 1, false, both);
  }
  const std::uint64_t number = first->is.number;
  std::vector<call_of_node> calls;
  const auto here = course_.tell(number);
  const call_of_node own{self_, here ? here->what : "a call that is not remembered", here ? here->where : "",
                         asked_.after[number - asked_.first]};
  calls.push_back(own);
  for (const auto& [node, a] : answers_) {
    if (has_found(a) && a.is.number == number) {
      calls.push_back(a.call);
    } else if (a.is.is != unknown && a.calls > number) {  // as here, since it differs later if at all
      calls.push_back(own);
      calls.back().node = node;
    }
  }
  return parting_of(number, first->is.is == differs, calls);
}

void agreement::conclude(parting d, outcome& out) {
  if (std::exchange(has_concluded_, true)) return;
  out.found = std::move(d);
  std::ranges::move(std::exchange(then_, {}), std::back_inserter(out.then));
}

void agreement::act(outcome& out, base::thread_context& context) {
  if (out.found) ways_.differ(*out.found, context);
  for (const auto& then : out.then) then();
}

void agreement::heard(std::uint32_t from, std::span<const std::byte> words, base::thread_context& context) {
  base::reader read(words);
  outcome out;
  {
    const std::scoped_lock lock(lock_);
    switch (static_cast<word>(read.get<std::uint64_t>())) {
      case word::report: {
        report r;
        r.calls = read.get<std::uint64_t>();
        r.hash = read.get<std::uint64_t>();
        if (r.calls <= course_.calls()) {
          if (differs(r)) suspect(from, r.calls, out);
          break;
        }
        std::vector<report>& waiting = ahead_[from];
        // Of many every other one, so that who is far behind compares at steps that are ever wider.
        if (waiting.size() == most_ahead_reports)
          for (std::size_t i = 0; i < most_ahead_reports / 2; ++i) waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
        waiting.push_back(r);
        break;
      }
      case word::question: {
        question& q = questions_[from];
        q.round = read.get<std::uint64_t>();
        q.theirs = {.first = read.get<std::uint64_t>()};
        for (std::uint64_t left = read.get<std::uint64_t>(); left > 0 && read.is_whole(); --left) q.theirs.after.push_back(read.get<std::uint64_t>());
        answer_questions(context);
        break;
      }
      case word::answer: take_answer(from, read, out); break;
      case word::verdict: conclude(get_parting(read), out); break;
    }
  }
  act(out, context);
}

void agreement::lost(std::uint32_t node, base::thread_context& context) noexcept {
  outcome out;
  {
    const std::scoped_lock lock(lock_);
    lost_.insert(node);
    questions_.erase(node);
    if (is_asking_ && waits_for_.erase(node)) end_round(out);
  }
  act(out, context);
}

}  // namespace stretto::buffers
