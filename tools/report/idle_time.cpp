#include "report/idle_time.hpp"

#include <algorithm>
#include <map>

#include "report/name_totals.hpp"

namespace stretto::report {

const char* name(idle_cause c) noexcept {
  static constexpr const char* names[idle_cause_count] = {
      "no work yet",        "waiting",    "cause not recorded", "overhead",
      "overhead, too fine", "begun late", "tasks too coarse",   "no work left"};
  return names[static_cast<unsigned>(c)];
}

namespace {

constexpr int most_steps = 10'000;  // back from one gap; what is left is the last step's

// Which record, of those that this one depended on, let it go on last; and when.
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
  explicit search(const run& r)
      : r_(r),
        busy_until_(r.tracks.size(), 0),
        works_(worker_tracks(r)),
        latest_(r.tracks.size(), no_record),
        before_(r.records.size(), no_record) {}

  idle_time all() {
    for (std::uint32_t i = 0; i < r_.records.size(); ++i) {
      if (!is_work(r_.records[i].kind)) continue;
      if (last_ == no_record || r_.records[i].end > r_.records[last_].end) last_ = i;
      const std::uint32_t track = r_.track_of(i);
      std::uint32_t& latest = latest_[track];
      if (latest != no_record && r_.records[latest].end <= r_.records[i].start) before_[i] = latest;
      if (latest == no_record || r_.records[i].end >= r_.records[latest].end) latest = i;
      if (!works_[track]) continue;
      if (r_.records[i].start > busy_until_[track]) before(i, busy_until_[track]);
      busy_until_[track] = std::max(busy_until_[track], r_.records[i].end);
    }
    for (std::uint32_t t = 0; t < r_.tracks.size(); ++t)
      if (works_[t]) behind(busy_until_[t]);
    return result();
  }

 private:
  void before(std::uint32_t i, nanoseconds since) {
    const nanoseconds start = r_.records[i].start;
    const auto [cause, at] = made_ready(r_, i);
    if (cause == no_record) {
      if (since == 0) return add(idle_cause::no_work_yet, no_record, start);
      if (start - since > longest_overhead) return add(idle_cause::unknown, r_.records[i].label, start - since);
    }
    const nanoseconds ready = cause == no_record ? since : std::clamp(at, since, start);
    if (const nanoseconds gap = start - ready; gap > longest_overhead) {
      add(idle_cause::late, r_.records[i].label, gap);
    } else if (gap > 0) {
      add(idle_cause::overhead, r_.records[i].label, gap);
      if (ready == since) gaps_.push_back(gap);
    }
    if (cause != no_record) back_from(cause, since, ready);
  }

  struct step_back {
    std::uint32_t record;  // no_record: nothing is known to have been before
    nanoseconds at;        // when it let the later one go on
    bool is_cause;         // else it only occupied the later one's worker
  };
  step_back step_from(std::uint32_t i) const {
    if (const auto [cause, at] = made_ready(r_, i); cause != no_record) return {cause, at, true};
    if (before_[i] != no_record) return {before_[i], r_.records[before_[i]].end, false};
    return {no_record, 0, false};
  }

  // From `since` until `right` the worker waited for what `cause` did, or waited for itself.
  void back_from(std::uint32_t cause, nanoseconds since, nanoseconds right) {
    for (int steps = 0; right > since; ++steps) {
      const record& one = r_.records[cause];
      const nanoseconds began = steps == most_steps ? since : std::clamp(one.start, since, right);
      add(idle_cause::waiting_on, one.label, right - began);
      if ((right = began) == since) return;
      const step_back next = step_from(cause);
      if (next.record == no_record) return add(idle_cause::no_work_yet, no_record, right - since);
      const nanoseconds ready = std::clamp(next.at, since, right);
      add(next.is_cause ? idle_cause::late : idle_cause::unknown, one.label, right - ready);
      right = ready;
      cause = next.record;
    }
  }

  // The end of a worker: what others still did, back from the record that ended last.
  void behind(nanoseconds since) {
    const nanoseconds end = r_.records[last_].end;
    add(idle_cause::no_work_left, no_record, r_.length - std::max(end, since));
    nanoseconds right = end;
    std::uint32_t cause = last_;
    for (int steps = 0; right > since; ++steps) {
      const record& one = r_.records[cause];
      const nanoseconds began = steps == most_steps ? since : std::clamp(one.start, since, right);
      add(one.start <= since ? idle_cause::too_coarse : idle_cause::no_work_left, one.label, right - began);
      if ((right = began) == since) return;
      const step_back next = step_from(cause);
      const nanoseconds ready = next.record == no_record ? since : std::clamp(next.at, since, right);
      add(next.is_cause ? idle_cause::late : idle_cause::no_work_left, one.label, right - ready);
      right = ready;
      cause = next.record;
    }
  }

  void add(idle_cause cause, std::uint32_t label, nanoseconds time) {
    if (time <= 0) return;
    auto& [count, total] = found_[{cause, label}];
    ++count;
    total += time;
  }

  // Labels whose records are so short that the overhead before them counts.
  std::vector<bool> fine_labels(nanoseconds overhead) const {
    std::vector<std::pair<nanoseconds, nanoseconds>> sums(r_.labels.size());
    for (const record& one : r_.records) sums[one.label].first += one.self, ++sums[one.label].second;
    std::vector<bool> fine(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) fine[i] = sums[i].first < 10 * overhead * sums[i].second;
    return fine;
  }

  idle_time result() {
    idle_time all;
    if (!gaps_.empty()) {
      const auto middle = gaps_.begin() + static_cast<std::ptrdiff_t>(gaps_.size() / 2);
      std::nth_element(gaps_.begin(), middle, gaps_.end());
      all.overhead = *middle;
    }
    const auto fine = fine_labels(all.overhead);
    std::map<std::tuple<idle_cause, std::string, std::string, kind>, idle_total> named;
    for (const auto& [key, sum] : found_) {
      auto [cause, label] = key;
      if (cause == idle_cause::overhead) {
        if (fine[label]) cause = idle_cause::too_fine;
        else label = no_record;
      }
      idle_total one{cause, kind::other, {}, {}, 0, 0};
      if (label != no_record)
        one = {cause, r_.labels[label].kind, family_of(r_.labels[label].name), r_.labels[label].at, 0, 0};
      idle_total& t = named.try_emplace({cause, one.what, one.at, one.kind}, one).first->second;
      t.count += sum.first;
      t.time += sum.second;
      all.time += sum.second;
    }
    for (auto& [key, t] : named) all.totals.push_back(std::move(t));
    std::stable_sort(all.totals.begin(), all.totals.end(),
                     [](const auto& a, const auto& b) { return a.time > b.time; });
    all.tracks = static_cast<unsigned>(std::count(works_.begin(), works_.end(), true));
    return all;
  }

  const run& r_;
  std::vector<nanoseconds> busy_until_;
  const std::vector<bool> works_;
  std::vector<std::uint32_t> latest_;  // of each track, so far
  std::vector<std::uint32_t> before_;  // for each record the one before it on its track
  std::uint32_t last_ = no_record;     // of all records of work the one that ended last
  std::map<std::pair<idle_cause, std::uint32_t>, std::pair<std::uint64_t, nanoseconds>> found_;
  std::vector<nanoseconds> gaps_;
};

}  // namespace

idle_time find_idle(const run& r) { return search(r).all(); }

}  // namespace stretto::report
