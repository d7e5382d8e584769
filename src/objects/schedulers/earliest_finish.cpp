// earliest_finish: a device gets a task only if no other device would end it earlier, given the work that each still
// has.
//
// The decision is made when a device asks, not when a task is pushed: by then more is known. Tasks that the search
// leaves to other devices count as work of these for the rest of the search. A slow device thus gets the tasks that
// fast devices would reach too late.
#include "objects/schedulers/policies.hpp"

#include <algorithm>
#include <unordered_map>

namespace stretto::objects {

namespace {

class earliest_finish final : public device_scheduler {
 public:
  void start(std::span<const device_view> devices) override {
    devices_.assign(devices.begin(), devices.end());
    load_.assign(devices.size(), {});
    issued_.assign(devices.size(), 0);
  }
  void push(const device_task& t) override { waiting_.push(t, devices_for(t, devices_)); }

  const device_task* pop(const device_view& d) override {
    until_ = load_;  // when each device ends its work, with the tasks that this search leaves to it
    load cost;
    bool is_trial = false;
    const device_task* const t = waiting_.take(d.index, most_examined_tasks, [&](const device_task& candidate) {
      if (!candidate.may_run_on(d)) return false;  // the device was lost, or has no code, since the task was pushed
      const device_view* best = nullptr;
      load best_cost;
      double best_end = 0;
      bool has_choice = false;
      is_trial = false;
      for (const device_view& e : devices_) {
        if (!candidate.may_run_on(e)) continue;
        has_choice = has_choice || e.index != d.index;
        const auto seconds = candidate.predicted_seconds(e);
        if (!seconds) {
          is_trial = is_trial || e.index == d.index;
          continue;
        }
        const load c{*seconds, candidate.transfer_seconds(e)};
        // Transfers count twice: other tasks need the link too, and data that moves is missing at its old place.
        const double end = end_of(until_[e.index], c) + c.transfer;
        if (!best || end < best_end) best = &e, best_cost = c, best_end = end;
      }
      cost = best_cost;
      if (!has_choice) return true;
      if (is_trial) return !under_trial(candidate.kind(), d.index);
      if (best->index == d.index) return true;
      add(until_[best->index], best_cost, 1);
      return false;
    });
    if (t) {
      if (is_trial) cost = {}, trials_.push_back({t->kind(), d.index});
      issued_tasks_.emplace(t, issued{cost, is_trial});
      add(load_[d.index], cost, 1);
      ++issued_[d.index];
    }
    return t;
  }

  void finished(const device_task& t, const device_view& d) override {
    const auto found = issued_tasks_.find(&t);
    if (found == issued_tasks_.end()) return;
    if (found->second.is_trial)
      if (const auto at = std::find(trials_.begin(), trials_.end(), trial{t.kind(), d.index}); at != trials_.end())
        trials_.erase(at);
    // Sums of fractions drift, so no work is not exactly 0.
    if (--issued_[d.index] == 0) load_[d.index] = {};
    else add(load_[d.index], found->second.cost, -1);
    issued_tasks_.erase(found);
  }

 private:
  /// Seconds of work for a device, and for the transfers to its memory; the two overlap.
  struct load {
    double compute = 0, transfer = 0;
  };
  static double end_of(const load& before, const load& of_task) {
    return std::max(before.compute, before.transfer + of_task.transfer) + of_task.compute;
  }
  static void add(load& to, const load& of_task, double sign) {
    to.compute = std::max(0.0, to.compute + sign * of_task.compute);
    to.transfer = std::max(0.0, to.transfer + sign * of_task.transfer);
  }
  struct issued {
    load cost;  // as predicted
    bool is_trial;
  };
  struct trial {
    std::uint64_t kind;
    std::uint32_t device;
    friend bool operator==(const trial&, const trial&) = default;
  };
  bool under_trial(std::uint64_t kind, std::uint32_t device) const {
    return std::find(trials_.begin(), trials_.end(), trial{kind, device}) != trials_.end();
  }

  std::vector<device_view> devices_;
  waiting_tasks waiting_;
  std::vector<load> load_, until_;  // per device
  std::vector<std::uint32_t> issued_;
  std::unordered_map<const device_task*, issued> issued_tasks_;
  std::vector<trial> trials_;  // at most kinds x devices, mostly none
};

}  // namespace

std::unique_ptr<device_scheduler> make_earliest_finish() { return std::make_unique<earliest_finish>(); }

}  // namespace stretto::objects
