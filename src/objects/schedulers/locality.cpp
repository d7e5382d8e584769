// locality: a device gets the task that loses least by running there.
//
// The loss is the number of bytes to be copied here, less those that the task's best place would need. A device that
// has a choice thus leaves tasks to the devices that have their data.
#include "objects/schedulers/policies.hpp"

#include <algorithm>
#include <tuple>

namespace stretto::objects {

namespace {

class locality final : public device_scheduler {
 public:
  void start(std::span<const device_view> devices) override { devices_.assign(devices.begin(), devices.end()); }
  void push(const device_task& t) override { waiting_.push(t, devices_for(t, devices_)); }

  const device_task* pop(const device_view& d) override {
    const device_task* best = nullptr;
    std::pair<std::uint64_t, std::uint64_t> least;
    int priority = 0;
    // Takes a task with all its data here at once; otherwise examines all and takes the best.
    const device_task* const at_home = waiting_.take(d.index, most_examined_tasks, [&](const device_task& t) {
      if (best && t.priority() != priority) return false;
      const std::uint64_t here = t.missing_bytes(d);
      std::uint64_t anywhere = here;
      if (here != 0)
        for (const device_view& other : devices_)
          if (other.index != d.index && t.may_run_on(other)) anywhere = std::min(anywhere, t.missing_bytes(other));
      const std::pair loss(here - anywhere, here);
      if (!best || loss < least) best = &t, least = loss, priority = t.priority();
      return here == 0;
    });
    if (at_home || !best) return at_home;
    return waiting_.take(d.index, most_examined_tasks, [&](const device_task& t) { return &t == best; });
  }

 private:
  std::vector<device_view> devices_;
  waiting_tasks waiting_;
};

}  // namespace

std::unique_ptr<device_scheduler> make_locality() { return std::make_unique<locality>(); }

}  // namespace stretto::objects
