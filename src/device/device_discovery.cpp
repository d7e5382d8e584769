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

search of_word(const wanted& w, const search& how) {
  search s = how;
  s.settings = w.settings;
  s.only = w.only;
  return s;
}

/// Nothing where it throws: who opens the devices finds the same, and says why.
auto unless_refused(auto&& ask) -> decltype(ask()) {
  try {
    return ask();
  } catch (const std::exception&) {
    return {};
  }
}

bool is_on(const device_card& c, std::uint32_t word, std::uint64_t device) {
  return std::ranges::any_of(std::span(c.entries).first(c.count), [&](const device_card::entry& e) { return e.word == word && e.device == device; });
}

/// The number on the card of what a word has chosen.
std::uint64_t device_of(const sight& seen, std::size_t word, unsigned number) {
  const auto at = std::ranges::find_if(seen.entries, [&](const sight::one& e) { return e.word == word && e.is.number == number; });
  return seen.card.entries[at - seen.entries.begin()].device;
}

}  // namespace

sight look(std::span<const wanted> which, const std::vector<backend>& known, const search& how) {
  sight all;
  std::map<std::string, std::uint32_t> words;  // of each backend, so far
  for (std::size_t w = 0; w < which.size(); ++w) {
    const backend& b = named(which[w].backend, known);
    if (!b.look) continue;
    const std::uint64_t of_backend = base::fnv1a(b.name);
    const std::uint32_t word = (static_cast<std::uint32_t>(of_backend) & ~0xffu) + words[b.name]++;
    const driver_opening here(b.thread_prefix);
    for (seen& s : unless_refused([&] { return b.look(of_word(which[w], how)); })) {
      if (all.entries.size() == device_card::most) return all;
      std::uint64_t device = base::fnv1a(s.identity, of_backend);
      while (is_on(all.card, word, device)) device = base::fnv1a("another", device);  // of a driver that gives several one identity
      all.card.entries[all.card.count++] = {.device = device, .kind = base::fnv1a(s.kind, of_backend), .word = word,
                                            .wanted = which[w].at_most, .is_near = s.is_near};
      all.entries.push_back({w, std::move(s)});
    }
  }
  return all;
}

void choose(std::vector<wanted>& which, const sight& seen, const deal& made) {
  for (const sight::one& e : seen.entries) which[e.word].only.emplace();
  for (const dealt& d : made.own) {
    const sight::one& e = seen.entries[d.entry];
    which[e.word].only->push_back({.number = e.is.number, .share = d.share});
  }
}

free_memory measure(std::span<const wanted> which, const std::vector<backend>& known, const sight& seen,
                    std::vector<std::shared_ptr<void>>& held) {
  free_memory made;
  for (std::size_t w = 0; w < which.size(); ++w) {
    const backend& b = named(which[w].backend, known);
    if (!b.measure || !which[w].only) continue;
    const driver_opening here(b.thread_prefix);
    measured_memory m = unless_refused([&] { return b.measure(of_word(which[w], {})); });
    for (std::size_t n = 0; n < m.free_bytes.size() && made.count < device_card::most; ++n)
      made.entries[made.count++] = {device_of(seen, w, (*which[w].only)[n].number), m.free_bytes[n]};
    held.push_back(std::move(m.held));
  }
  return made;
}

void take_least(std::vector<wanted>& which, const sight& seen, std::span<const free_memory> of_each) {
  for (std::size_t w = 0; w < which.size(); ++w) {
    if (!which[w].only) continue;
    for (chosen& c : *which[w].only)
      for (const free_memory& said : of_each)
        for (const auto& e : std::span(said.entries).first(std::min<std::size_t>(said.count, device_card::most)))
          if (e.device == device_of(seen, w, c.number) && e.bytes && (!c.share.free_bytes || e.bytes < c.share.free_bytes)) c.share.free_bytes = e.bytes;
  }
}

}  // namespace stretto::device
