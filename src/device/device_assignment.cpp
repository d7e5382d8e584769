#include "device/device_assignment.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace stretto::device {

namespace {

using devices = std::vector<std::uint64_t>;
using kind_of_word = std::pair<std::uint32_t, std::uint64_t>;

/// What one process sees of a kind.
struct hand {
  std::size_t process = 0;
  devices seen, near;
  std::size_t room = device_card::all;  // most that it may open
};

/// The hands of a process, in the order of its card. A word's number is used up kind by kind.
std::vector<std::pair<kind_of_word, hand>> hands_of(const device_card& c, std::size_t process) {
  std::vector<std::pair<kind_of_word, hand>> all;
  for (const device_card::entry& e : std::span(c.entries).first(std::min<std::size_t>(c.count, device_card::most))) {
    const kind_of_word key{e.word, e.kind};
    auto at = std::ranges::find(all, key, [](const auto& h) { return h.first; });
    if (at == all.end()) {
      std::size_t used = 0;
      for (const auto& [other, h] : all)
        if (other.first == e.word) used += h.seen.size();
      const std::size_t room = e.wanted == device_card::all ? device_card::all : e.wanted - std::min<std::size_t>(used, e.wanted);
      all.push_back({key, {process, {}, {}, room}});
      at = std::prev(all.end());
    }
    at->second.seen.push_back(e.device);
    if (e.is_near) at->second.near.push_back(e.device);
  }
  return all;
}

/// Processes that see the same, in their order.
using table = std::vector<hand>;

std::vector<devices> deal_table(const table& hands) {
  const devices& all = hands.front().seen;
  const std::size_t there = all.size(), processes = hands.size();
  std::vector<std::size_t> due;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < processes; ++i) {
    const std::size_t part = there < processes ? 1 : there / processes + (i < there % processes);
    due.push_back(hands[i].room == device_card::all ? part : std::min(hands[i].room, there));
    sum += due.back();
  }
  const std::size_t each = sum / there, one_more = sum % there;
  std::vector<std::size_t> order(processes), takers(there);
  for (std::size_t i = 0; i < processes; ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return hands[i].near.size(); });
  std::vector<devices> own(processes);
  // All have as many takers in the end, but for one more where they do not go up.
  const auto is_full = [&](std::size_t d) {
    return takers[d] > each || (takers[d] == each && std::cmp_greater_equal(std::ranges::count(takers, each + 1), one_more));
  };
  for (const std::size_t i : order) {
    const auto is_own = [&](std::size_t d) { return std::ranges::find(own[i], all[d]) != own[i].end(); };
    const auto is_near = [&](std::size_t d) { return std::ranges::find(hands[i].near, all[d]) != hands[i].near.end(); };
    const auto rank = [&](std::size_t d) { return std::tuple(is_own(d), is_full(d), !is_near(d), takers[d], d); };
    for (std::size_t n = 0; n < due[i]; ++n) {
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

deal deal_devices(std::span<const device_card> cards, std::size_t self) {
  std::map<std::pair<kind_of_word, devices>, table> tables;
  for (std::size_t p = 0; p < cards.size(); ++p)
    for (auto& [key, h] : hands_of(cards[p], p)) {
      devices same = h.seen;
      std::ranges::sort(same);
      tables[{key, std::move(same)}].push_back(std::move(h));
    }
  struct part {
    kind_of_word key;
    devices own;
    const table* of;
  };
  std::vector<part> mine;
  std::map<std::uint64_t, devices> openers;  // of each device, every process once
  for (const auto& [key, hands] : tables) {
    const std::vector<devices> own = deal_table(hands);
    for (std::size_t i = 0; i < hands.size(); ++i) {
      if (hands[i].process == self) mine.push_back({key.first, own[i], &hands});
      for (const std::uint64_t d : own[i])
        if (devices& by = openers[d]; std::ranges::find(by, hands[i].process) == by.end()) by.push_back(hands[i].process);
    }
  }
  deal made;
  made.has_shared = std::ranges::any_of(openers, [](const auto& o) { return o.second.size() > 1; });
  const device_card& c = cards[self];
  for (std::size_t e = 0; e < std::min<std::size_t>(c.count, device_card::most); ++e) {
    const kind_of_word key{c.entries[e].word, c.entries[e].kind};
    const auto at = std::ranges::find(mine, key, &part::key);
    if (std::ranges::find(at->own, c.entries[e].device) == at->own.end()) continue;
    const auto count = [](const auto& of) { return static_cast<std::uint32_t>(of.size()); };
    made.own.push_back({e, {.sharers = count(openers[c.entries[e].device]), .devices = count(at->of->front().seen), .processes = count(*at->of)}});
  }
  return made;
}

}  // namespace stretto::device
