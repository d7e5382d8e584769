// fifo: a device gets the first task that it may run.
#include "objects/schedulers/policies.hpp"

namespace stretto::objects {

namespace {

class fifo final : public device_scheduler {
 public:
  void start(std::span<const device_view> devices) override { devices_.assign(devices.begin(), devices.end()); }
  void push(const device_task& t) override { waiting_.push(t, devices_for(t, devices_)); }
  const device_task* pop(const device_view& d) override {
    return waiting_.take(d.index, 1, [](const device_task&) { return true; });
  }

 private:
  std::vector<device_view> devices_;
  waiting_tasks waiting_;
};

}  // namespace

std::unique_ptr<device_scheduler> make_fifo() { return std::make_unique<fifo>(); }

}  // namespace stretto::objects
