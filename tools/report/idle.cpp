#include "report/idle.hpp"

#include <algorithm>
#include <map>

namespace stretto::report {

const char* name(idle_cause c) noexcept {
  static constexpr const char* names[idle_cause_count] = {"no work yet",      "waiting",         "overhead", "begun late",
                                                          "tasks too coarse", "no work left"};
  return names[static_cast<unsigned>(c)];
}

namespace {

// Which record, of those that this one depended on, ended last; and when this one could begin.
std::pair<std::uint32_t, nanoseconds> made_ready(const run& r, std::uint32_t i) {
  std::pair<std::uint32_t, nanoseconds> last{no_record, 0};
  for (const edge& e : r.into(i)) {
    const nanoseconds at = std::min(r.records[e.from].end, r.records[i].start);
    if (is_work(r.records[e.from].kind) && (last.first == no_record || at > last.second)) last = {e.from, at};
  }
  return last;
}

class search {
 public:
  explicit search(const run& r) : r_(r), busy_until_(r.tracks.size(), 0), works_(r.tracks.size(), false) {}

  idle_time all() {
    for (std::uint32_t i = 0; i < r_.records.size(); ++i) {
      if (!is_work(r_.records[i].kind)) continue;
      last_start_ = std::max(last_start_, r_.records[i].start);
      last_end_ = std::max(last_end_, r_.records[i].end);
      if (r_.records[i].kind == kind::task || r_.records[i].kind == kind::kernel) works_[r_.track_of(i)] = true;
    }
    for (std::uint32_t i = 0; i < r_.records.size(); ++i)
      if (is_work(r_.records[i].kind) && works_[r_.track_of(i)]) before(i);
    for (std::uint32_t t = 0; t < r_.tracks.size(); ++t)
      if (works_[t]) behind(t);
    return result();
  }

 private:
  void before(std::uint32_t i) {
    nanoseconds& until = busy_until_[r_.track_of(i)];
    const nanoseconds start = r_.records[i].start;
    if (start > until) {
      const auto [cause, ready] = made_ready(r_, i);
      const nanoseconds since = cause == no_record ? until : std::clamp(ready, until, start);
      if (cause != no_record && since > until) {
        add(idle_cause::waiting_on, r_.records[cause].label, since - until);
      } else if (cause == no_record && until == 0) {  // who asked for it is not known, nor when
        add(idle_cause::no_work_yet, no_record, start);
        until = std::max(until, r_.records[i].end);
        return;
      }
      const nanoseconds gap = start - since;
      if (gap > 0) add(gap <= longest_overhead ? idle_cause::overhead : idle_cause::late, no_record, gap);
      if (since == until && gap > 0 && gap <= longest_overhead) gaps_.push_back(gap);
    }
    until = std::max(until, r_.records[i].end);
  }

  // The end of a track: first others still ran what they had begun, then nobody did anything.
  void behind(std::uint32_t track) {
    const nanoseconds until = busy_until_[track];
    const nanoseconds others = std::max(until, last_end_);
    const nanoseconds begun = std::clamp(last_start_, until, others);
    if (begun > until) add(idle_cause::no_work_left, no_record, begun - until);
    if (others > begun) add(idle_cause::too_coarse, no_record, others - begun);
    if (r_.length > others) add(idle_cause::no_work_left, no_record, r_.length - others);
  }

  void add(idle_cause cause, std::uint32_t label, nanoseconds time) {
    auto& [count, total] = found_[{cause, label}];
    ++count;
    total += time;
  }

  idle_time result() {
    idle_time all;
    std::map<std::pair<idle_cause, std::string>, idle_total> named;
    for (const auto& [key, sum] : found_) {
      const std::string what = key.second == no_record ? std::string() : r_.labels[key.second].name;
      idle_total& t = named[{key.first, what}];
      t.cause = key.first;
      t.what = what;
      t.count += sum.first;
      t.time += sum.second;
      all.time += sum.second;
    }
    for (auto& [key, t] : named) all.totals.push_back(std::move(t));
    std::stable_sort(all.totals.begin(), all.totals.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
    if (!gaps_.empty()) {
      const auto middle = gaps_.begin() + static_cast<std::ptrdiff_t>(gaps_.size() / 2);
      std::nth_element(gaps_.begin(), middle, gaps_.end());
      all.overhead = *middle;
    }
    all.tracks = static_cast<unsigned>(std::count(works_.begin(), works_.end(), true));
    return all;
  }

  const run& r_;
  std::vector<nanoseconds> busy_until_;
  std::vector<bool> works_;
  nanoseconds last_start_ = 0, last_end_ = 0;
  std::map<std::pair<idle_cause, std::uint32_t>, std::pair<std::uint64_t, nanoseconds>> found_;
  std::vector<nanoseconds> gaps_;
};

}  // namespace

idle_time find_idle(const run& r) { return search(r).all(); }

}  // namespace stretto::report
