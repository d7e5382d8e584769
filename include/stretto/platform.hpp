// platform.hpp - the platform of one node: its places (processors, memories, devices), their links, and worker paths.
//
//     void print_machine() {
//       const platform machine = platform::discover();
//       for (const place p : machine.pop_path(0)) std::printf("%s ", machine.name(p).c_str());  // core_0 L2_0 L3_0 ...
//       for (const place_affinity& near : machine.affinities(machine.home(0)))
//         std::printf("\n%s: %zu links away", machine.name(near.to).c_str(), near.hops);
//     }
//     const platform cluster_node = platform::synthetic("pack:2 numa:1 l3:1 core:64 pu:2");  // 128 workers
//
// Threads     immutable; every member may be called from any thread. Copies share their data.
// Cost        paths, names, kinds: one load. Searches (affinities, nearest, route): O(links), with allocations.
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

/// The role of a place: it runs tasks, or it holds data. A place may have both.
enum class place_role : std::uint8_t { processor, memory };

/// The distance to a place: the figures of the cheapest route to it.
struct place_affinity {
  place to;                                          // the other place
  std::size_t hops = 0;                              // links on the route
  std::optional<double> bandwidth_bytes_per_second;  // of the slowest link; absent if any link's is unknown
  std::optional<double> latency_seconds;             // of all links together; absent if any link's is unknown
  bool is_addressed = false;  // the processor accesses the memory by loads and stores, without a copy

  friend bool operator==(const place_affinity&, const place_affinity&) = default;
};

/// The places of one machine and the paths of its workers. A value; copies share their data. Members that take a place
/// or a worker throw P16 for one that the platform does not have.
class platform {
 public:
  /// The part of this machine that this process may use, according to CPU binding, cpusets, and the limits of its
  /// control groups on CPU time and memory.
  ///
  ///   workers  the number of workers; they share cores if there are fewer. 0: one per usable core, fewer if the
  ///            control group grants less CPU time
  ///   throws   P15 if the machine cannot be inspected, P06 if workers is more than max_workers
  ///   cost     about 2 ms
  static platform discover(std::uint32_t workers = 0);

  /// A synthetic machine, from a description in the syntax of hwloc.
  ///
  ///   throws   P13 if hwloc refuses the description
  ///
  ///     platform::synthetic("pack:2 numa:1 l3:1 core:64 pu:2").worker_count()   ->  128
  static platform synthetic(const std::string& description, std::uint32_t workers = 0);

  /// Reads a locality graph (docs/guide/platform.md has the format).
  ///
  ///   throws   P01..P12, each with file:line:column of the fault
  static platform read(const std::string& file);
  /// Parses the text of a locality graph; errors name `file_name`. Throws P01 to P12.
  static platform parse(std::string_view text, std::string_view file_name = "<text>");

  /// Checks a description and makes a platform of it.
  ///
  ///   throws   P04, P06, P07, P10, P12
  static platform build(platform_description description);

  /// The description of this platform: build(p.describe()) == p.
  const platform_description& describe() const noexcept;

  /// The largest number of workers.
  static constexpr std::uint32_t max_workers = 4096;
  /// The number of workers.
  std::uint32_t worker_count() const noexcept;

  /// The same machine with n workers: the first n, or additional ones that repeat the paths cyclically. Additional
  /// workers get cores of their own if the paths are the default ones.
  ///   throws   P06 unless 1 <= n <= max_workers
  platform with_workers(std::uint32_t n) const;

  /// The places where the worker takes its own tasks, nearest first.
  ///   throws   P16 if worker >= worker_count()
  std::span<const place> pop_path(std::uint32_t worker) const;
  /// The places where the worker steals tasks, nearest first.
  ///   throws   P16 if worker >= worker_count()
  std::span<const place> steal_path(std::uint32_t worker) const;

  /// The processor on which the worker runs: the first core, cache or host memory of its pop path. Throws P16.
  place home(std::uint32_t worker) const;

  /// Whether a worker's pop or steal path contains p, so that workers run the tasks there. Throws P16.
  bool is_served(place p) const;

  /// The number of places.
  std::size_t place_count() const noexcept;
  /// All places, or those of one kind, by index. Throws std::bad_alloc only.
  std::vector<place> places() const;
  std::vector<place> places(place_kind kind) const;
  /// Cores, GPUs and the homes of workers. Throws std::bad_alloc only.
  std::vector<place> processors() const;
  /// NUMA, system, pinned, GPU and global memories and storage. A GPU without a linked gpu_memory is its own memory.
  /// Throws std::bad_alloc only.
  std::vector<place> memories() const;
  /// Whether the place is a processor, or a memory. Throws P16.
  bool has_role(place p, place_role role) const;

  /// The name of a place. Throws P16.
  const std::string& name(place p) const;
  /// The kind of a place. Throws P16.
  place_kind kind(place p) const;
  /// The description of a place. Throws P16 for an invalid place or one of another platform.
  const place_description& about(place p) const;
  /// All links.
  std::span<const place_link> links() const noexcept;
  /// The places that share a link with p, by index. Throws P16.
  std::vector<place> neighbors(place p) const;

  /// The place of that name; nothing if there is none. Never throws.
  std::optional<place> find(std::string_view name) const;
  /// The place of that name. Throws P03, which suggests the nearest name.
  place at(std::string_view name) const;

  /// Memories, or processors, by their distance from `from`, closest first, without `from` itself. is_addressed tells
  /// whether the processor accesses the memory by loads and stores: processors of the host access all host memory,
  /// pinned memory included; a GPU accesses the GPU memories and pinned memories that are linked to it. Throws P16.
  std::vector<place_affinity> affinities(place from, place_role to = place_role::memory) const;

  /// The place of this kind with the fewest links from `from`, which may be `from` itself; nothing if there is none.
  /// Throws P16.
  std::optional<place> nearest(place from, place_kind kind) const;

  /// The cheapest route for a copy of `bytes` bytes; nothing if there is none. A leg costs latency + bytes / bandwidth.
  ///
  ///   throws   P16
  ///
  /// For the platform of a runtime (this_machine, runtime.machine, platform_of) it is the route of its copies: the
  /// memories that the bytes pass through, with the figures that the channels had when the runtime started; nothing if
  /// copies throw D12. Processors and caches stand for memory that the processor addresses.
  ///
  /// For other platforms the route follows the links and passes through no core. Unknown figures count as 100 ns and
  /// 10 GB/s, so that the number of links decides in a platform without figures.
  std::optional<transfer_route> route(place from, place to, std::uint64_t bytes = 1u << 20) const;

  /// This platform with bandwidths and latencies measured on this machine: copies inside and between memories, loads
  /// from each cache level, hand-off between cores. It takes at most 200 ms and uses one core at a time.
  ///
  ///   throws   P17 if a core of the platform is not a CPU of this machine that this process may use
  platform measured() const;

  /// The platform in the file format of read(): parse(p.to_json()) == p. Throws std::bad_alloc only.
  std::string to_json() const;
  /// The platform as a text tree with the memory as root and cores as leaves. Throws std::bad_alloc only.
  std::string to_tree() const;
  /// The platform in the language of Graphviz. Throws std::bad_alloc only.
  std::string to_dot() const;
  /// The platform as an SVG picture drawn by Graphviz. Throws P14 if `dot` is not installed or fails.
  std::string to_svg() const;

  friend bool operator==(const platform& a, const platform& b) noexcept;

 private:
  friend places::platform_copy_routes;
  explicit platform(std::shared_ptr<const places::graph> graph) noexcept;
  std::shared_ptr<const places::graph> graph_;
  std::shared_ptr<const places::copy_routes> copies_;  // null: of no runtime
};

/// The platform of the caller's runtime: that of its own node. Throws B20 on a thread of no runtime.
const platform& this_machine();

}  // namespace stretto

STRETTO_API_END
