// recorded_launches.cpp - the calls behind recorded_launch.hpp. Keeps recorded launches; a replay submits consecutive
// launches to their device as one operation.
#include <stretto/error.hpp>
#include <stretto/recorded_launch.hpp>

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "data/device_operation.hpp"
#include "data/handle.hpp"
#include "data/launch_placement.hpp"

namespace stretto {

namespace {

struct recorded_launch {
  recorded_launch(std::shared_ptr<const device::compiled_kernel> compiled, const kernel_range& range,
                  std::span<const detail::launch_item> given, device::attached_device& on, std::string_view name)
      : kernel(std::move(compiled)),
        range(range),
        items(data::to_range(range)),
        given(kernel->code, given),
        on(on),
        name(name) {
    const auto exists = [&range](const detail::launch_item& i) {
      return !i.array.record || detail::ready_event(i.array, range.where).has_triggered();
    };
    if (std::ranges::all_of(this->given.items(), exists))
      arguments = this->given.arguments(base::require_current("launch"), range.where);
  }

  /// Throws D01 for an array that was destroyed.
  void require_arrays(base::thread_context& context) const {
    for (const detail::launch_item& i : given.items())
      if (i.array.record) data::usable(i.array, "launch", context, range.where);
  }

  const std::shared_ptr<const device::compiled_kernel> kernel;
  const kernel_range range;
  const device::launch_range items;
  const data::kernel_arguments given;
  // if all arrays existed when it was recorded: they do not move
  data::kernel_arguments::few<device::launch_argument> arguments;
  device::attached_device& on;
  const std::string name;
};

/// Consecutive launches of one graph, in one replay.
class launch_row final : public data::device_operation {
 public:
  explicit launch_row(std::span<void* const> launches)
      : device_operation(at(launches, 0).on, device::work::kernel, trace::kind::kernel, at(launches, 0).range.where),
        launches_(launches) {}

  static const recorded_launch& at(std::span<void* const> launches, std::size_t i) noexcept {
    return *static_cast<const recorded_launch*>(launches[i]);
  }

 private:
  void enqueue(device::stream& s, places::completion& done) override {
    base::thread_context& context = base::require_current("replay");
    const std::size_t last = launches_.size() - 1;
    const bool compiles_at_first_launch = on_.is().about().compiles_at_first_launch;
    try {
      for (std::size_t i = 0; i <= last; ++i) {
        at_ = i;
        const recorded_launch& l = at(launches_, i);
        device::launch_range items = l.items;
        items.is_first = compiles_at_first_launch && l.kernel->note_launch(items);
        is_first_ = is_first_ || items.is_first;
        const auto launch = [&](const auto& arguments) {
          s.launch(*l.kernel, items, {arguments.data(), arguments.size()}, i == last ? &done : nullptr);
        };
        if (l.arguments.empty()) {
          launch(l.given.arguments(context, l.range.where));
        } else {
          l.require_arrays(context);
          launch(l.arguments);
        }
      }
    } catch (...) {
      if (at_ == 0) throw;
      s.notify(done);  // earlier ones are still under way
      done.failure = std::current_exception();
      has_failed_ = true;
    }
  }
  /// Names the launch that failed, if that is known.
  std::string describe() const override {
    const auto name_of = [&](std::size_t i) { return "launch \"" + at(launches_, i).name + "\""; };
    if (has_failed_) return name_of(at_) + " at " + short_location(at(launches_, at_).range.where);
    return name_of(0) + (launches_.size() > 1 ? " and " + std::to_string(launches_.size() - 1) + " after it" : "");
  }
  std::string shown_name() const override {
    const std::string of_all =
        launches_.size() > 1 ? ", and " + std::to_string(launches_.size() - 1) + " after it" : "";
    return at(launches_, 0).name + of_all + (is_first_ ? ", first launch" : "");
  }
  std::uint64_t amount() const noexcept override {
    std::uint64_t items = 0;
    for (std::size_t i = 0; i < launches_.size(); ++i)
      items += static_cast<std::uint64_t>(at(launches_, i).range.ids.volume());
    return items;
  }
  place shown_at() const noexcept override { return on_.processor(); }

  const std::span<void* const> launches_;  // of the graph, which outlives its replays
  std::size_t at_ = 0;
  bool has_failed_ = false;
  bool is_first_ = false;  // first launch with this group shape: the driver may compile
};

event run_row(std::span<void* const> launches, event behind) {
  base::thread_context& context = base::require_current("replay");
  boost::container::small_vector<event, 4> ready;
  if (behind != event()) ready.push_back(behind);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const recorded_launch& l = launch_row::at(launches, i);
    data::note_opened(l.given.items(), context);
    l.require_arrays(context);
    if (!l.arguments.empty()) continue;
    for (const detail::launch_item& item : l.given.items())
      if (item.array.record)
        if (const event e = item.array.record->ready; e.raw() != 0) ready.push_back(e);
  }
  return data::device_operation::submit(std::make_unique<launch_row>(launches), {}, {ready.data(), ready.size()},
                                        context);
}

event run_on_host(void* launch, const void*) {
  const auto& l = *static_cast<const data::host_launch*>(launch);
  data::note_opened(l.given.items(), base::require_current("replay"));
  l.run();
  return {};
}

}  // namespace

recorded_operation detail::record_launch(graph_base& g, const kernel_code& code, const kernel_range& range,
                                         std::span<const launch_item> given, recorded_request request) {
  base::thread_context& context = base::require_current("launch");
  data::placed_launch l;
  data::place_launch(l, code, range, given, request, context);
  if (request.name.empty()) request.name = code.name;
  if (!l.on)
    return g.record(runs::as_task, "launch",
                    {std::make_shared<data::host_launch>(code, range, l.items, request, context), run_on_host}, request,
                    range.where);
  request.at = request.on = place();  // not of a worker
  auto kept = std::make_shared<recorded_launch>(l.on->is().compile(code), range, l.items, *l.on, request.name);
  return g.record(runs::at_once, "launch", {std::move(kept), nullptr, l.on, run_row}, request, range.where);
}

}  // namespace stretto
