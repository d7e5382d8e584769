// simulated_devices.hpp - runs task graphs on simulated devices in virtual time, with a scheduler under test.
//
// Each device computes one task at a time, copies missing data over its own link, and holds a few issued tasks. A task
// is pushed once all of its predecessors have been issued, so copies and kernels overlap as on devices.
#pragma once

#include <doctest/doctest.h>

#include <stretto/scheduler.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "objects/speeds.hpp"

namespace stretto::test {

struct made_up_device {
  std::vector<double> items_per_second;  // per kernel
  double bytes_per_second = 1e9;
  std::uint32_t depth = 3;
};

struct made_up_task {
  std::size_t kernel = 0;
  std::uint64_t items = 1;
  std::vector<std::size_t> reads = {}, writes = {};  // blocks; written blocks are read before
  std::vector<std::size_t> follows = {};             // tasks with smaller numbers
  int priority = 0;
  std::uint64_t devices = ~std::uint64_t{0};  // bits
};

struct outcome {
  double seconds = 0;
  std::uint64_t bytes_moved = 0;
  std::vector<std::size_t> order;    // order of issue
  std::vector<std::uint32_t> where;  // per task
  std::vector<std::size_t> per_device;
  bool always_busy = true;  // no device idled while a task waited that it could have run
};

class simulated_devices {
 public:
  simulated_devices(std::vector<made_up_device> devices, std::vector<std::uint64_t> block_bytes)
      : devices_(std::move(devices)), block_bytes_(std::move(block_bytes)) {}

  outcome run(device_scheduler& scheduler, const std::vector<made_up_task>& tasks) {
    begin(tasks);
    std::vector<device_view> views;
    for (std::uint32_t d = 0; d < devices_.size(); ++d) views.push_back(view(d));
    scheduler.start(views);
    for (std::size_t t = 0; t < tasks.size(); ++t)
      if (--unissued_[t] == 0) push(scheduler, t);
    ask(scheduler);
    while (!running_.empty()) {
      const ending e = running_.top();
      running_.pop();
      out_.seconds = e.at;
      --issued_[e.device];
      record(e);
      scheduler.finished(tasks_[e.task], view(e.device));
      ask(scheduler);
    }
    REQUIRE(out_.order.size() == tasks.size());  // a scheduler that keeps tasks for ever is stuck here
    return out_;
  }

 private:
  struct task final : device_task {
    task(simulated_devices& world, std::size_t number, const made_up_task& is) : world(world), number(number), is(is) {}
    std::string_view name() const override { return "task"; }
    int priority() const override { return is.priority; }
    std::uint64_t position() const override { return number; }
    bool may_run_on(const device_view& d) const override { return is.devices >> d.index & 1; }
    std::uint64_t kind() const override {
      return is.kernel * 64 + static_cast<std::uint64_t>(std::bit_width(is.items));
    }
    std::uint64_t bytes_at(const device_view& d) const override { return world.bytes(is, d.index, true); }
    std::uint64_t missing_bytes(const device_view& d) const override { return world.bytes(is, d.index, false); }
    double transfer_seconds(const device_view& d) const override {
      return static_cast<double>(missing_bytes(d)) / world.devices_[d.index].bytes_per_second;
    }
    std::optional<double> predicted_seconds(const device_view& d) const override {
      return world.speeds_.predict(world.number(is, d.index), is.items);
    }
    simulated_devices& world;
    std::size_t number;
    const made_up_task& is;
  };
  struct ending {
    double at;
    std::size_t task;
    std::uint32_t device;
    friend bool operator>(const ending& a, const ending& b) {
      return std::pair(a.at, a.task) > std::pair(b.at, b.task);
    }
  };

  void begin(const std::vector<made_up_task>& tasks) {
    tasks_.clear();
    for (std::size_t t = 0; t < tasks.size(); ++t) tasks_.emplace_back(*this, t, tasks[t]);
    unissued_.assign(tasks.size(), 1);
    followers_.assign(tasks.size(), {});
    for (std::size_t t = 0; t < tasks.size(); ++t)
      for (const std::size_t p : tasks[t].follows) followers_[p].push_back(t), ++unissued_[t];
    valid_.assign(block_bytes_.size(), 0);  // no device has it: the host does
    block_ready_.assign(block_bytes_.size(), 0.0);
    ended_.assign(tasks.size(), 0.0);
    state_.assign(tasks.size(), 'n');
    issued_.assign(devices_.size(), 0);
    link_free_.assign(devices_.size(), 0.0);
    free_.assign(devices_.size(), 0.0);
    out_ = {};
    out_.where.resize(tasks.size());
    out_.per_device.resize(devices_.size());
  }

  device_view view(std::uint32_t d) const {
    return {.index = d, .name = "made up", .kind = "sim", .issued = issued_[d], .room = devices_[d].depth - issued_[d]};
  }
  std::uint64_t bytes(const made_up_task& t, std::uint32_t d, bool there) const {
    std::uint64_t n = 0;
    for (const auto* list : {&t.reads, &t.writes})
      for (const std::size_t b : *list)
        if (bool(valid_[b] >> d & 1) == there) n += block_bytes_[b];
    return n;
  }

  void push(device_scheduler& s, std::size_t t) {
    state_[t] = 'w';
    s.push(tasks_[t]);
  }

  void ask(device_scheduler& s) {
    for (bool any = true; any;) {
      any = false;
      for (std::uint32_t d = 0; d < devices_.size(); ++d) {
        if (issued_[d] == devices_[d].depth) continue;
        const device_task* const got = s.pop(view(d));
        if (!got) continue;
        issue(s, static_cast<const task&>(*got).number, d);
        any = true;
      }
    }
    for (std::size_t t = 0; t < tasks_.size(); ++t)
      for (std::uint32_t d = 0; d < devices_.size() && state_[t] == 'w'; ++d)
        if (issued_[d] < devices_[d].depth && (tasks_[t].is.devices >> d & 1)) out_.always_busy = false;
  }

  void issue(device_scheduler& s, std::size_t t, std::uint32_t d) {
    if (state_[t] != 'w' || !(tasks_[t].is.devices >> d & 1))
      FAIL("a task that does not wait, or on a device of others");
    const made_up_task& is = tasks_[t].is;
    state_[t] = 'i';
    ++issued_[d];
    double start = free_[d];
    for (const std::size_t p : is.follows) start = std::max(start, ended_[p]);
    for (const auto* list : {&is.reads, &is.writes})
      for (const std::size_t b : *list) {
        if (valid_[b] >> d & 1) continue;
        link_free_[d] = std::max({link_free_[d], block_ready_[b], out_.seconds}) +
                        static_cast<double>(block_bytes_[b]) / devices_[d].bytes_per_second;
        start = std::max(start, link_free_[d]);
        out_.bytes_moved += block_bytes_[b];
        valid_[b] |= std::uint64_t{1} << d;
      }
    start = std::max(start, out_.seconds);
    ended_[t] = free_[d] = start + static_cast<double>(is.items) / devices_[d].items_per_second[is.kernel];
    for (const std::size_t b : is.writes) valid_[b] = std::uint64_t{1} << d, block_ready_[b] = ended_[t];
    running_.push({ended_[t], t, d});
    out_.order.push_back(t);
    out_.where[t] = d;
    ++out_.per_device[d];
    for (const std::size_t f : followers_[t])
      if (--unissued_[f] == 0) push(s, f);
  }

  void record(const ending& e) {
    const made_up_task& is = tasks_[e.task].is;
    speeds_.record(number(is, e.device), is.items,
                   static_cast<double>(is.items) / devices_[e.device].items_per_second[is.kernel]);
  }
  std::uint32_t number(const made_up_task& t, std::uint32_t device) const {
    return speeds_.number_of(std::to_string(t.kernel), std::to_string(device));
  }

  std::vector<made_up_device> devices_;
  std::vector<std::uint64_t> block_bytes_;
  std::vector<task> tasks_;
  std::vector<int> unissued_;  // predecessors, and one for itself
  std::vector<std::vector<std::size_t>> followers_;
  std::vector<std::uint64_t> valid_;
  std::vector<double> block_ready_, ended_, link_free_, free_;
  std::vector<char> state_;  // new, waiting, issued
  std::vector<std::uint32_t> issued_;
  std::priority_queue<ending, std::vector<ending>, std::greater<>> running_;
  mutable objects::speeds speeds_;  // kept from one run to the next
  outcome out_;
};

}  // namespace stretto::test
