#include "data/device_launch.hpp"

#include <boost/container/small_vector.hpp>

#include <string>

#include "data/device_operation.hpp"
#include "data/handle.hpp"
#include "data/kernel_arguments.hpp"

namespace stretto::data {

namespace {

class device_launch final : public device_operation {
 public:
  device_launch(device::attached_device& on, std::shared_ptr<const device::compiled_kernel> kernel,
                const kernel_range& range, std::span<const detail::launch_item> items, std::string_view name)
      : device_operation(on, device::work::kernel, trace::kind::kernel, range.where),
        kernel_(std::move(kernel)),
        range_(to_range(range)),
        volume_(range.ids.volume()),
        given_(kernel_->code, items),
        name_(name) {
    range_.is_first = on.is().about().compiles_at_first_launch && kernel_->note_launch(range_);
  }

 private:
  void enqueue(device::stream& s, places::completion& done) override {
    const auto arguments = given_.arguments(base::require_current("launch"), where_);
    s.launch(*kernel_, range_, {arguments.data(), arguments.size()}, &done);
  }
  std::string describe() const override { return name_; }
  std::string shown_name() const override { return range_.is_first ? name_ + ", first launch" : name_; }
  std::uint64_t amount() const noexcept override { return volume_; }
  place shown_at() const noexcept override { return on_.processor(); }

  const std::shared_ptr<const device::compiled_kernel> kernel_;
  device::launch_range range_;
  const std::uint64_t volume_;
  const kernel_arguments given_;
  const std::string name_;
};

}  // namespace

event launch_on(device::attached_device& on, const kernel_code& code, const kernel_range& range,
                std::span<const detail::launch_item> items, const detail::task_request& request,
                base::thread_context& context, std::span<const event> order) {
  auto op = std::make_unique<device_launch>(on, on.is().compile(code), range, items,
                                            request.name.empty() ? code.name : request.name);
  boost::container::small_vector<event, 4> ready;
  for (const detail::launch_item& i : items)
    if (i.array.record)
      if (const event e = i.array.record->ready; e.raw() != 0) ready.push_back(e);
  preconditions after;
  after.dependencies = request.after;
  after.events = request.after_events;
  after.profile = request.profile;
  return device_operation::submit(std::move(op), after, {ready.data(), ready.size()}, context, order);
}

}  // namespace stretto::data
