// rank_placement.hpp - which worker of a node runs which ranks, and which NUMA domain each worker is in.
//
// Threads     pure functions.
// Source      the names of orders: `--map-by` of Open MPI.
#pragma once

#include <stretto/platform.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ranks/nodes/rank_map.hpp"

namespace stretto::ranks {

/// blocks: consecutive ranks share a worker, then a NUMA domain. workers: they are on consecutive workers. domains: on
/// consecutive NUMA domains, and those of a domain in blocks on its workers.
enum class worker_order : std::uint8_t { blocks, workers, domains };

/// How a job's ranks are placed on nodes, and a node's ranks on workers.
struct rank_placement {
  rank_order on_nodes = rank_order::blocks;
  worker_order on_workers = worker_order::blocks;
  bool operator==(const rank_placement&) const = default;
};

/// The values of --map.
inline constexpr std::string_view placement_names[] = {"slot", "blocks", "core", "numa", "node", "cyclic"};
/// "slot" and "blocks" are two names of one placement, and so are "node" and "cyclic". None for other names.
std::optional<rank_placement> placement_named(std::string_view name);

/// The NUMA domain of each worker: the position of its place among the machine's; 0 if there is no such place.
std::vector<std::uint32_t> domains_of_workers(const platform& machine);
/// The system's processors in each NUMA domain; none if the machine has one domain only.
std::vector<std::vector<std::uint32_t>> processors_by_domain(const platform& machine);

/// The worker of each of `ranks` ranks, in their order. `domains` has the domain of each worker, at least one. Each
/// worker, or each domain, has as many ranks as any other, or one more.
std::vector<std::uint32_t> workers_of_ranks(worker_order order, std::uint32_t ranks,
                                            const std::vector<std::uint32_t>& domains);

/// The workers whose home has one of these processors of the system; none if all have: then all are as near.
std::vector<std::uint32_t> workers_on(const platform& machine, const std::vector<unsigned>& processors);

/// The worker of each rank, where some ranks have workers near their devices: each of these gets the one of its `near`
/// workers that has the fewest ranks. All others, without near workers, stay on those in `workers`.
std::vector<std::uint32_t> workers_near_devices(std::vector<std::uint32_t> workers,
                                                const std::vector<std::vector<std::uint32_t>>& near);

}  // namespace stretto::ranks
