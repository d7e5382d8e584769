#include "device/device_assignment.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace stretto::device {

namespace {

using devices = std::vector<std::uint64_t>;
using kind_of_request = std::pair<std::uint32_t, std::uint64_t>;

/// The devices of one kind that one process sees for one request.
struct device_view {
  std::size_t process = 0;
  devices visible, near;
  std::size_t capacity = device_inventory::all;  // most devices that it may open
};

/// The views of a process, in the order of its inventory. The kinds of a request use up its number one after the
/// other.
std::vector<std::pair<kind_of_request, device_view>> views_of(const device_inventory& c, std::size_t process) {
  std::vector<std::pair<kind_of_request, device_view>> all;
  for (const device_inventory::entry& e :
       std::span(c.entries).first(std::min<std::size_t>(c.count, device_inventory::most))) {
    const kind_of_request key{e.request, e.kind};
    auto at = std::ranges::find(all, key, [](const auto& h) { return h.first; });
    if (at == all.end()) {
      std::size_t used = 0;
      for (const auto& [other, h] : all)
        if (other.first == e.request) used += h.visible.size();
      const std::size_t capacity = e.requested == device_inventory::all
                                       ? device_inventory::all
                                       : e.requested - std::min<std::size_t>(used, e.requested);
      all.push_back({key, {process, {}, {}, capacity}});
      at = std::prev(all.end());
    }
    at->second.visible.push_back(e.device);
    if (e.is_near) at->second.near.push_back(e.device);
  }
  return all;
}

/// Processes that see the same devices, in their order.
using view_group = std::vector<device_view>;

std::vector<devices> assign_group(const view_group& views) {
  const devices& all = views.front().visible;
  const std::size_t there = all.size(), processes = views.size();
  std::vector<std::size_t> shares;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < processes; ++i) {
    const std::size_t part = there < processes ? 1 : there / processes + (i < there % processes);
    shares.push_back(views[i].capacity == device_inventory::all ? part : std::min(views[i].capacity, there));
    sum += shares.back();
  }
  const std::size_t each = sum / there, one_more = sum % there;
  std::vector<std::size_t> order(processes), takers(there);
  for (std::size_t i = 0; i < processes; ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return views[i].near.size(); });
  std::vector<devices> own(processes);
  // In the end all devices have equally many openers; if the division leaves a remainder, some have one more.
  const auto is_full = [&](std::size_t d) {
    return takers[d] > each ||
           (takers[d] == each && std::cmp_greater_equal(std::ranges::count(takers, each + 1), one_more));
  };
  for (const std::size_t i : order) {
    const auto is_own = [&](std::size_t d) { return std::ranges::find(own[i], all[d]) != own[i].end(); };
    const auto is_near = [&](std::size_t d) { return std::ranges::find(views[i].near, all[d]) != views[i].near.end(); };
    const auto rank = [&](std::size_t d) { return std::tuple(is_own(d), is_full(d), !is_near(d), takers[d], d); };
    for (std::size_t n = 0; n < shares[i]; ++n) {
      std::size_t best = 0;
      for (std::size_t d = 1; d < there; ++d)
        if (rank(d) < rank(best)) best = d;
      own[i].push_back(all[best]);
      ++takers[best];
    }
  }
  return own;
}

}  // namespace

device_assignment assign_devices(std::span<const device_inventory> inventories, std::size_t self) {
  std::map<std::pair<kind_of_request, devices>, view_group> groups;
  for (std::size_t p = 0; p < inventories.size(); ++p)
    for (auto& [key, h] : views_of(inventories[p], p)) {
      devices same = h.visible;
      std::ranges::sort(same);
      groups[{key, std::move(same)}].push_back(std::move(h));
    }
  struct part {
    kind_of_request key;
    devices own;
    const view_group* of;
  };
  std::vector<part> mine;
  std::map<std::uint64_t, devices> openers;  // the processes that open each device
  for (const auto& [key, views] : groups) {
    const std::vector<devices> own = assign_group(views);
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (views[i].process == self) mine.push_back({key.first, own[i], &views});
      for (const std::uint64_t d : own[i])
        if (devices& by = openers[d]; std::ranges::find(by, views[i].process) == by.end())
          by.push_back(views[i].process);
    }
  }
  device_assignment made;
  made.has_shared = std::ranges::any_of(openers, [](const auto& o) { return o.second.size() > 1; });
  const device_inventory& c = inventories[self];
  for (std::size_t e = 0; e < std::min<std::size_t>(c.count, device_inventory::most); ++e) {
    const kind_of_request key{c.entries[e].request, c.entries[e].kind};
    const auto at = std::ranges::find(mine, key, &part::key);
    if (std::ranges::find(at->own, c.entries[e].device) == at->own.end()) continue;
    const auto count = [](const auto& of) { return static_cast<std::uint32_t>(of.size()); };
    made.own.push_back({e,
                        {.sharers = count(openers[c.entries[e].device]),
                         .devices = count(at->of->front().visible),
                         .processes = count(*at->of)}});
  }
  return made;
}

}  // namespace stretto::device
