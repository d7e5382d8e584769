// native_devices.cpp - the call behind native_device.hpp.
#include <stretto/native_device.hpp>

#include "data/data_state.hpp"
#include "device/device_set.hpp"

namespace stretto {

std::optional<native_device> native_device_of(place p) {
  const device::device_set* const devices = data::state_of(base::require_current("native_device_of")).settings.devices;
  const device::attached_device* const found = devices ? devices->at(p) : nullptr;
  if (!found) return {};
  const native_call its = found->is().native();
  return native_device{its.is, its.device, its.context, found->processor(), found->memory()};
}

}  // namespace stretto
