// platform.hpp - the graph of places of one node: processors, memories, their links, and the workers' paths.
//
// Threads     immutable; every member may be called from any thread. Copies share their data.
// Cost        paths, names, kinds: one load. Queries that search (affinities, nearest, route): O(links), allocate.
// Invariants  (1) at least one worker, each with a non-empty pop path. (2) names are unique. (3) every place is
//             joined by links to a place on some worker's path. (4) a place used here belongs to this platform.
// Source      the locality graph and its file format: HiPER/hclib; processor and memory affinities: the Realm paper.
#pragma once

#include <stretto/place.hpp>
#include <stretto/route.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

namespace places {
struct graph;        // the checked data behind a platform
struct copy_routes;  // how the copies of a runtime move bytes
struct platform_copy_routes;
}  // namespace places

/// What an affinity leads to: places that run tasks, or places that hold data. A place may do both.
enum class place_role : std::uint8_t { processor, memory };

/// How close `to` is: the least-cost route to it.
struct place_affinity {
  place to;
  std::size_t hops = 0;                              // links on the route
  std::optional<double> bandwidth_bytes_per_second;  // of the slowest link; absent if any link's is unknown
  std::optional<double> latency_seconds;             // of all links together; absent if any link's is unknown
  bool is_addressed = false;  // the processor's loads and stores reach the memory: no copy is needed

  friend bool operator==(const place_affinity&, const place_affinity&) = default;
};

/// The machine as workers see it.
///
///     auto machine = stretto::platform::discover();
///     for (auto p : machine.pop_path(0)) std::cout << machine.name(p) << ' ';   // core_0 L2_0 L3_0 sysmem
class platform {
 public:
  /// This machine, as far as this process may use it: CPU binding (of its threads together), cpusets, and
  /// the limits of its control groups on CPU time and memory.
  ///
  ///   workers  0: one per usable core, fewer if the cgroup grants less CPU time; else that many,
  ///            sharing cores in turn where there are more workers than cores
  ///   throws   P15 if the machine cannot be inspected, P06 if workers is more than max_workers
  ///   cost     about 2 ms
  static platform discover(std::uint32_t workers = 0);

  /// A machine that is not here, from an hwloc synthetic description.
  ///
  ///   throws   P13 if hwloc refuses the description
  ///
  ///     platform::synthetic("pack:2 numa:1 l3:1 core:64 pu:2").worker_count()   ->  128
  static platform synthetic(const std::string& description, std::uint32_t workers = 0);

  /// Reads a locality graph (docs/guide/platform.md has the format).
  ///
  ///   throws   P01..P12, each with file:line:column of the fault
  static platform read(const std::string& file);
  static platform parse(std::string_view text, std::string_view file_name = "<text>");

  /// Checks a description and makes it a platform: how a device backend or a module adds its places.
  ///
  ///   throws   P04, P06, P07, P10, P12
  static platform build(platform_description description);

  /// The description that this platform was built from; build(p.describe()) == p.
  const platform_description& describe() const noexcept;

  static constexpr std::uint32_t max_workers = 4096;
  /// How many workers there are.
  std::uint32_t worker_count() const noexcept;

  /// The same machine with n workers: the first n, or, beyond them, workers that repeat the paths in turn.
  ///   throws   P06 unless 1 <= n <= max_workers
  platform with_workers(std::uint32_t n) const;

  /// Where the worker looks for its own tasks, and then for tasks of others; nearest first.
  ///   throws   P16 if worker >= worker_count()
  std::span<const place> pop_path(std::uint32_t worker) const;
  std::span<const place> steal_path(std::uint32_t worker) const;

  /// The processor that the worker runs on: the first core, cache or host memory of its pop path.
  place home(std::uint32_t worker) const;

  /// True if some worker's pop or steal path visits p, so that a task put there will run.
  bool is_served(place p) const;

  /// How many places there are.
  std::size_t place_count() const noexcept;
  std::vector<place> places() const;
  std::vector<place> places(place_kind kind) const;
  /// Cores, GPUs and the homes of workers.
  std::vector<place> processors() const;
  /// NUMA, system, pinned, GPU and global memories and storage; a GPU without a gpu_memory beside it is its own memory.
  std::vector<place> memories() const;
  bool has_role(place p, place_role role) const;

  /// The name of a place.
  const std::string& name(place p) const;
  /// The kind of a place.
  place_kind kind(place p) const;
  /// Everything known of p. throws P16 for a place that is invalid or of another platform (as do all others).
  const place_description& about(place p) const;
  std::span<const place_link> links() const noexcept;
  /// The places that share a link with p, ascending.
  std::vector<place> neighbors(place p) const;

  std::optional<place> find(std::string_view name) const;
  /// The place of that name. throws P03 with the nearest name.
  place at(std::string_view name) const;

  /// Memories (or processors) by closeness to `from`, closest first; equal ones by index. `from` is left out. Of a
  /// processor and a memory, whichever is asked about, is_addressed says whether the one reaches the other by loads and
  /// stores: the processors of the host all of its memory, pinned memory too; a GPU the memories of GPUs and pinned
  /// memory that are linked to it.
  std::vector<place_affinity> affinities(place from, place_role to = place_role::memory) const;

  /// The place of this kind the fewest links away; the lowest index of equals; `from` itself if of this kind.
  std::optional<place> nearest(place from, place_kind kind) const;

  /// The cheapest way to move `bytes` from one place to another; nothing if there is none.
  ///
  /// On the machine of a runtime (this_machine, runtime.machine, machine_of) it is what copies of so many bytes do: the
  /// memories that they pass through, and the figures that the channels between these had when the runtime started;
  /// nothing where copies throw D12. Processors and caches stand for memory that the processor addresses.
  ///
  /// On a machine that no runtime uses it follows the links, which are then all that is known. No route passes
  /// through a core. Unknown figures count as 100 ns and 10 GB/s, so that a graph without figures is routed by the
  /// number of links.
  ///
  /// A leg costs latency + bytes / bandwidth.
  std::optional<transfer_route> route(place from, place to, std::uint64_t bytes = 1u << 20) const;

  /// This platform with bandwidths and latencies measured on the machine (at most 200 ms, one core at a time):
  /// copies inside and between memories, loads from each cache level, hand-off between cores.
  ///
  ///   throws   P17 if a core of the platform is not a CPU of this machine that this process may use
  platform measured() const;

  /// The file format that read() accepts; parse(p.to_json()) == p.
  std::string to_json() const;
  /// A text tree, memory at the root, cores as leaves.
  std::string to_tree() const;
  /// The graph in the language of Graphviz.
  std::string to_dot() const;
  /// A picture, drawn by Graphviz. throws P14 if `dot` is not installed or fails.
  std::string to_svg() const;

  friend bool operator==(const platform& a, const platform& b) noexcept;

 private:
  friend places::platform_copy_routes;
  explicit platform(std::shared_ptr<const places::graph> graph) noexcept;
  std::shared_ptr<const places::graph> graph_;
  std::shared_ptr<const places::copy_routes> copies_;  // null: of no runtime
};

/// The machine of the caller's runtime, where its places belong: of each node its own. Throws B20 on a thread of no
/// runtime.
const platform& this_machine();

}  // namespace stretto

STRETTO_API_END
