#include "device/device_discovery.hpp"

#include <algorithm>
#include <exception>
#include <map>

#include "base/hash.hpp"
#include "device/driver_guard.hpp"

namespace stretto::device {

namespace {

const backend& named(std::string_view name, const std::vector<backend>& known) {
  return *std::ranges::find(known, name, &backend::name);
}

open_options options_of_request(const device_request& w, const open_options& how) {
  open_options s = how;
  s.settings = w.settings;
  s.only = w.only;
  return s;
}

/// An empty result if `ask` throws: opening the devices fails for the same reason later, and reports it.
auto unless_refused(auto&& ask) -> decltype(ask()) {
  try {
    return ask();
  } catch (const std::exception&) {
    return {};
  }
}

bool is_on(const device_inventory& c, std::uint32_t request, std::uint64_t device) {
  return std::ranges::any_of(std::span(c.entries).first(c.count), [&](const device_inventory::entry& e) {
    return e.request == request && e.device == device;
  });
}

/// The device number in the inventory of the device that a request selected.
std::uint64_t device_of(const visible_devices& visible, std::size_t request, unsigned number) {
  const auto at = std::ranges::find_if(visible.entries, [&](const visible_devices::entry& e) {
    return e.request == request && e.device.number == number;
  });
  return visible.inventory.entries[at - visible.entries.begin()].device;
}

}  // namespace

visible_devices discover_devices(std::span<const device_request> which, const std::vector<backend>& known,
                                 const open_options& how) {
  visible_devices all;
  std::map<std::string, std::uint32_t> requests_of_backend;  // requests of each backend so far
  for (std::size_t w = 0; w < which.size(); ++w) {
    const backend& b = named(which[w].backend, known);
    if (!b.list_visible) continue;
    const std::uint64_t of_backend = base::fnv1a(b.name);
    const std::uint32_t request = (static_cast<std::uint32_t>(of_backend) & ~0xffu) + requests_of_backend[b.name]++;
    const driver_guard here(b.thread_prefix);
    for (visible_device& s : unless_refused([&] { return b.list_visible(options_of_request(which[w], how)); })) {
      if (all.entries.size() == device_inventory::most) return all;
      std::uint64_t device = base::fnv1a(s.identity, of_backend);
      // some drivers give several devices one identity
      while (is_on(all.inventory, request, device)) device = base::fnv1a("another", device);
      all.inventory.entries[all.inventory.count++] = {.device = device,
                                                      .kind = base::fnv1a(s.kind, of_backend),
                                                      .request = request,
                                                      .requested = which[w].at_most,
                                                      .is_near = s.is_near};
      all.entries.push_back({w, std::move(s)});
    }
  }
  return all;
}

void apply_assignment(std::vector<device_request>& which, const visible_devices& visible,
                      const device_assignment& made) {
  for (const visible_devices::entry& e : visible.entries) which[e.request].only.emplace();
  for (const assigned_device& d : made.own) {
    const visible_devices::entry& e = visible.entries[d.entry];
    which[e.request].only->push_back({.number = e.device.number, .share = d.share});
  }
}

free_memory measure_free_memory(std::span<const device_request> which, const std::vector<backend>& known,
                                const visible_devices& visible, std::vector<std::shared_ptr<void>>& held) {
  free_memory made;
  for (std::size_t w = 0; w < which.size(); ++w) {
    const backend& b = named(which[w].backend, known);
    if (!b.measure || !which[w].only) continue;
    const driver_guard here(b.thread_prefix);
    measured_memory m = unless_refused([&] { return b.measure(options_of_request(which[w], {})); });
    for (std::size_t n = 0; n < m.free_bytes.size() && made.count < device_inventory::most; ++n)
      made.entries[made.count++] = {device_of(visible, w, (*which[w].only)[n].number), m.free_bytes[n]};
    held.push_back(std::move(m.held));
  }
  return made;
}

void apply_least_free_memory(std::vector<device_request>& which, const visible_devices& visible,
                             std::span<const free_memory> of_each) {
  for (std::size_t w = 0; w < which.size(); ++w) {
    if (!which[w].only) continue;
    for (device_selection& c : *which[w].only)
      for (const free_memory& said : of_each)
        for (const auto& e : std::span(said.entries).first(std::min<std::size_t>(said.count, device_inventory::most)))
          if (e.device == device_of(visible, w, c.number) && e.bytes &&
              (!c.share.free_bytes || e.bytes < c.share.free_bytes))
            c.share.free_bytes = e.bytes;
  }
}

}  // namespace stretto::device
