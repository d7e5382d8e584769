// work_stealing: a task waits at the device that has most of its data; an idle device takes from the longest queue.
#include "objects/schedulers/policies.hpp"

#include <algorithm>
#include <tuple>

namespace stretto::objects {

namespace {

class work_stealing final : public device_scheduler {
 public:
  void start(std::span<const device_view> devices) override {
    devices_.assign(devices.begin(), devices.end());
    queues_.resize(devices.size());
  }

  void push(const device_task& t) override {
    const device_view* home = nullptr;
    std::uint64_t most = 0;
    for (const device_view& d : devices_) {
      if (!t.may_run_on(d)) continue;
      const std::uint64_t here = t.bytes_at(d);
      if (!home || here > most || (here == most && queues_[d.index].size() < queues_[home->index].size()))
        home = &d, most = here;
    }
    if (home) queues_[home->index].push(t, devices_for(t, devices_));
  }

  const device_task* pop(const device_view& d) override {
    const auto any = [](const device_task&) { return true; };
    if (const device_task* const t = queues_[d.index].take(d.index, 1, any)) return t;
    order_.clear();
    for (const device_view& v : devices_)
      if (v.index != d.index && queues_[v.index].size() != 0) order_.push_back(v.index);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(queues_[b].size(), a) < std::tuple(queues_[a].size(), b);
    });
    for (const std::uint32_t victim : order_)
      if (const device_task* const t = queues_[victim].take(d.index, 1, any)) return t;
    return nullptr;
  }

 private:
  std::vector<device_view> devices_;
  std::vector<waiting_tasks> queues_;  // per device
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::unique_ptr<device_scheduler> make_work_stealing() { return std::make_unique<work_stealing>(); }

}  // namespace stretto::objects
