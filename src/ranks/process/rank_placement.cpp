#include "ranks/process/rank_placement.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace stretto::ranks {
namespace {

/// The part, of `parts` in blocks of nearly equal size, that the item belongs to; the first ones have one item more.
std::uint32_t part_of(std::uint32_t item, std::uint32_t items, std::uint32_t parts) {
  const std::uint32_t least = items / parts, larger = items % parts, in_larger = larger * (least + 1);
  return item < in_larger ? item / (least + 1) : larger + (item - in_larger) / least;
}

/// The workers of each domain that has any.
std::vector<std::vector<std::uint32_t>> workers_by_domain(const std::vector<std::uint32_t>& domains) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> found;
  for (std::uint32_t w = 0; w < domains.size(); ++w) found[domains[w]].push_back(w);
  std::vector<std::vector<std::uint32_t>> all;
  for (auto& [domain, workers] : found) all.push_back(std::move(workers));
  return all;
}

/// The workers, those of a domain next to each other.
std::vector<std::uint32_t> workers_in_order(const std::vector<std::uint32_t>& domains) {
  std::vector<std::uint32_t> all;
  for (const auto& some : workers_by_domain(domains)) all.insert(all.end(), some.begin(), some.end());
  return all;
}

/// The position of a place's NUMA domain among the machine's; 0 if there is none.
std::uint32_t domain_of(const platform& machine, place at) {
  const auto domains = machine.places(place_kind::numa);
  const auto own = machine.nearest(at, place_kind::numa);
  const auto found = own ? std::ranges::find(domains, *own) : domains.end();
  return found == domains.end() ? 0 : static_cast<std::uint32_t>(found - domains.begin());
}

}  // namespace

std::optional<rank_placement> placement_named(std::string_view name) {
  if (name == "slot" || name == "blocks") return rank_placement{};
  if (name == "core") return rank_placement{rank_order::blocks, worker_order::workers};
  if (name == "numa") return rank_placement{rank_order::blocks, worker_order::domains};
  if (name == "node" || name == "cyclic") return rank_placement{rank_order::cyclic, worker_order::blocks};
  return {};
}

std::vector<std::uint32_t> domains_of_workers(const platform& machine) {
  std::vector<std::uint32_t> domains;
  for (std::uint32_t w = 0; w < machine.worker_count(); ++w) domains.push_back(domain_of(machine, machine.home(w)));
  return domains;
}

std::vector<std::vector<std::uint32_t>> processors_by_domain(const platform& machine) {
  std::vector<std::vector<std::uint32_t>> all(machine.places(place_kind::numa).size());
  if (all.size() < 2) return {};
  for (const place core : machine.places(place_kind::core)) {
    auto& of_domain = all[domain_of(machine, core)];
    const auto& processors = machine.about(core).cpus;
    of_domain.insert(of_domain.end(), processors.begin(), processors.end());
  }
  return all;
}

std::vector<std::uint32_t> workers_of_ranks(worker_order order, std::uint32_t ranks,
                                            const std::vector<std::uint32_t>& domains) {
  std::vector<std::uint32_t> all(ranks);
  if (order == worker_order::domains) {
    const auto workers = workers_by_domain(domains);
    const auto count = static_cast<std::uint32_t>(workers.size());
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const auto& of_domain = workers[r % count];
      const std::uint32_t in_domain = ranks / count + (r % count < ranks % count ? 1 : 0);
      all[r] = of_domain[part_of(r / count, in_domain, static_cast<std::uint32_t>(of_domain.size()))];
    }
    return all;
  }
  const auto workers = workers_in_order(domains);
  const auto count = static_cast<std::uint32_t>(workers.size());
  for (std::uint32_t r = 0; r < ranks; ++r)
    all[r] = workers[order == worker_order::blocks ? part_of(r, ranks, count) : r % count];
  return all;
}

std::vector<std::uint32_t> workers_on(const platform& machine, const std::vector<unsigned>& processors) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t w = 0; w < machine.worker_count(); ++w)
    if (std::ranges::find_first_of(machine.about(machine.home(w)).cpus, processors) !=
        machine.about(machine.home(w)).cpus.end())
      all.push_back(w);
  if (all.size() == machine.worker_count()) all.clear();
  return all;
}

std::vector<std::uint32_t> workers_near_devices(std::vector<std::uint32_t> workers,
                                                const std::vector<std::vector<std::uint32_t>>& near) {
  std::map<std::uint32_t, std::uint32_t> ranks_of;  // by worker
  for (std::size_t r = 0; r < workers.size(); ++r)
    if (near[r].empty()) ++ranks_of[workers[r]];
  for (std::size_t r = 0; r < workers.size(); ++r) {
    if (near[r].empty()) continue;
    workers[r] = *std::ranges::min_element(near[r], {}, [&](std::uint32_t w) { return ranks_of[w]; });
    ++ranks_of[workers[r]];
  }
  return workers;
}

}  // namespace stretto::ranks
