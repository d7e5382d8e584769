#include "engine.hpp"

#include <stretto/runtime.hpp>

#include <chrono>
#include <utility>

namespace stretto::devices {

error not_usable(std::string_view driver, std::string why, std::string remedy) {
  return error("M35", "the module of " + std::string(driver) + " is not usable")
      .because(std::move(why))
      .remedy(std::move(remedy));
}

error refused(std::string_view driver, std::string_view call, std::string why) {
  return error("M34", std::string(driver) + " has refused " + std::string(call)).because(std::move(why));
}

void engine::register_at(module_host& host) {
  const platform& machine = host.machine();
  counts_.assign(machine.place_count(), {});
  const std::string own = std::string(driver_) + "_", simulated = "sim_";
  const auto add = [&](place p) {
    counts_[p.index] = {host.add_statistic("lent calls", p), host.add_statistic("copies", p)};
  };
  for (const place p : machine.places(place_kind::gpu)) {
    const std::string& name = machine.name(p);
    if (name.starts_with(own)) host.claim(p, this);
    if (name.starts_with(own) || name.starts_with(simulated)) add(p);
  }
  adopted_ = host.add_statistic("adopted calls");
  points_ = std::make_shared<queue_points>();
  host.add_poller(*points_);
}

void engine::begin(runtime& owner) {
  const attached_thread here(owner);
  devices_.clear();
  for (const place p : owner.machine().places(place_kind::gpu))
    if (const auto its = native_device_of(p); its && (its->is == kind_ || its->is == native_call::kind::host)) {
      devices_.push_back(*its);
      counts_[its->memory.index] = counts_[p.index];
    }
  is_open_ = true;
}

void engine::end() noexcept {
  is_open_ = false;
  devices_.clear();
  points_->stop_polling();
  points_->fail(std::make_exception_ptr(
      not_usable(shown_, "the runtime has ended before this operation", "wait for the event before the runtime ends")));
  served_ = std::move(points_);
}

void engine::require_open() const {
  if (!is_open_)
    throw not_usable(shown_, "no runtime uses it now", "pass it to a runtime by runtime_options::modules first");
}

const native_device& engine::device_at(place p, const std::source_location& where) const {
  require_open();
  for (const native_device& d : devices_)
    if (p && (d.processor == p || d.memory == p)) return d;
  std::string known;
  for (const native_device& d : devices_)
    known += (known.empty() ? "\"" : ", \"") + this_machine().name(d.processor) + "\"";
  throw error("M33", (p ? "place \"" + this_machine().name(p) + "\" is" : "a place that was not given is") +
                         " no device of " + std::string(shown_))
      .fact("submitted", where)
      .because(known.empty() ? "the runtime has opened none" : "the module serves " + known)
      .remedy(known.empty() ? "open devices by runtime_options::devices, as \"" + std::string(driver_) + "\" or \"sim\""
                            : "name one of these by at(place)");
}

void engine::require_driver(place p, const std::source_location& where) const {
  if (device_at(p, where).is != native_call::kind::host) return;
  throw error("M33", "place \"" + this_machine().name(p) + "\" is no device of " + std::string(shown_))
      .fact("submitted", where)
      .because("it is a simulated device, for which there is no driver")
      .remedy("launch(on(device), ...) with a kernel that has a body for the host");
}

void engine::add_point(void* queue, const user_event& done) {
  require_open();
  points_->add_pending();
  try {
    points_->add(queue, mark(queue), done);
  } catch (...) {
    points_->remove_pending();
    throw;
  }
}

const engine::counted& engine::of(place at) const noexcept {
  static constexpr counted nothing;
  return at.index < counts_.size() ? counts_[at.index] : nothing;
}

}  // namespace stretto::devices
