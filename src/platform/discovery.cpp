#include "platform/discovery.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <stretto/error.hpp>

#include "base/fork_delay.hpp"
#include "platform/container_limits.hpp"
#include "platform/default_paths.hpp"
#include "platform/graph.hpp"

namespace stretto::places {
namespace {

struct topology_end {
  void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};
using topology = std::unique_ptr<hwloc_topology, topology_end>;

topology empty_topology() {
  hwloc_topology_t t = nullptr;
  if (hwloc_topology_init(&t) != 0)
    throw error("P15", "the machine cannot be inspected").because(std::string("hwloc: ") + std::strerror(errno));
  return topology(t);
}

topology new_topology() {
  // Keeps a topology for ever: hwloc loads its plugins for the first one and unloads them with the last, which takes
  // four times as long as the discovery.
  [[gnu::used]] static const hwloc_topology_t keeps_plugins = empty_topology().release();
  topology owned = empty_topology();
  const hwloc_topology_t t = owned.get();
  // Loads only the types of objects that become places.
  hwloc_topology_set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const auto type :
       {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE})
    hwloc_topology_set_type_filter(t, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  // Without groups hwloc 2.9 attaches the NUMA nodes of synthetic machines to the root.
  hwloc_topology_set_type_filter(t, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  return owned;
}

/// The objects of a type in hwloc's order.
std::vector<hwloc_obj_t> objects(hwloc_topology_t t, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> found;
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(t, type, o));) found.push_back(o);
  return found;
}

/// Packages become places if they are a level of their own: there are several, and none is a NUMA node or inside one.
bool packages_matter(const std::vector<hwloc_obj_t>& packages, const std::vector<hwloc_obj_t>& nodes) {
  if (packages.size() < 2) return false;
  if (nodes.size() < 2) return true;
  for (const auto* p : packages)
    for (const auto* n : nodes)
      if (hwloc_bitmap_isincluded(p->cpuset, n->cpuset)) return false;
  return true;
}

/// Nothing if the system does not report it.
std::optional<std::uint64_t> physical_memory() noexcept {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return {};
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

/// Collects the places of a topology, outermost first, and links each to the next level out that contains it.
class collector {
 public:
  explicit collector(hwloc_topology_t t) : topology_(t) {}

  platform_description collect() {
    // Without /sys hwloc finds no memory. Then the capacity comes from another interface of the system.
    const std::uint64_t found = hwloc_get_root_obj(topology_)->total_memory;
    knows_memory_ = found != 0;
    place_description& all = add("sysmem", place_kind::system_memory, hwloc_get_root_obj(topology_));
    all.capacity_bytes = knows_memory_ ? found : physical_memory();
    const auto nodes = objects(topology_, HWLOC_OBJ_NUMANODE);
    const auto packages = objects(topology_, HWLOC_OBJ_PACKAGE);
    if (packages_matter(packages, nodes)) add_all("package", place_kind::package, packages);
    if (nodes.size() > 1)  // the only node is the system memory itself
      add_all("numa", place_kind::numa, nodes);
    add_all("L5", place_kind::l5, objects(topology_, HWLOC_OBJ_L5CACHE));
    add_all("L4", place_kind::l4, objects(topology_, HWLOC_OBJ_L4CACHE));
    add_all("L3", place_kind::l3, objects(topology_, HWLOC_OBJ_L3CACHE));
    add_all("L2", place_kind::l2, objects(topology_, HWLOC_OBJ_L2CACHE));
    auto cores = objects(topology_, HWLOC_OBJ_CORE);
    if (cores.empty()) cores = objects(topology_, HWLOC_OBJ_PU);  // some virtual machines report no cores
    add_all("core", place_kind::core, cores);
    link_outwards();
    return std::move(description_);
  }

 private:
  place_description& add(std::string name, place_kind kind, hwloc_obj_t object) {
    objects_.push_back(object);
    auto& p = description_.places.emplace_back();
    p.name = std::move(name);
    p.kind = kind;
    return p;
  }

  void add_all(const std::string& prefix, place_kind kind, const std::vector<hwloc_obj_t>& found) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto* o = found[i];
      auto& p = add(prefix + '_' + std::to_string(i), kind, found[i]);
      if (hwloc_obj_type_is_cache(o->type) && o->attr->cache.size) p.capacity_bytes = o->attr->cache.size;
      if (o->type == HWLOC_OBJ_NUMANODE) p.device_index = o->os_index;
      if (o->type == HWLOC_OBJ_NUMANODE && knows_memory_) p.capacity_bytes = o->attr->numanode.local_memory;
      if (kind != place_kind::core) continue;
      for (int cpu = hwloc_bitmap_first(o->cpuset); cpu >= 0; cpu = hwloc_bitmap_next(o->cpuset, cpu))
        p.cpus.push_back(static_cast<std::uint32_t>(cpu));
    }
  }

  void link_outwards() {
    for (std::uint32_t i = 1; i < objects_.size(); ++i) {
      // Outer kinds have lower indices, so the last place before this one that contains it is the next one outwards.
      // Of several memories with the same cores (fast and large ones), takes the first.
      std::uint32_t out = 0;
      for (std::uint32_t j = i; j-- > 1;) {
        if (description_.places[j].kind == description_.places[i].kind) continue;
        if (out && description_.places[j].kind != description_.places[out].kind) break;
        if (!hwloc_bitmap_iszero(objects_[i]->cpuset) &&
            hwloc_bitmap_isincluded(objects_[i]->cpuset, objects_[j]->cpuset))
          out = j;
      }
      description_.links.push_back({{i}, {out}, {}, {}});
    }
  }

  hwloc_topology_t topology_;
  platform_description description_;
  bool knows_memory_ = false;
  std::vector<hwloc_obj_t> objects_;  // objects_[i] became place i
};

void add_default_paths(platform_description& is, std::uint32_t workers) {
  check_worker_count(workers, {});
  is.pop_paths = climbing_paths(is, workers);
  is.steal_paths = nearest_paths(is, workers);
}

}  // namespace

platform_description discover(std::uint32_t workers) {
  const base::fork_delay here;  // hwloc locks its list of components
  auto t = new_topology();
  hwloc_topology_set_flags(t.get(), HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
  if (hwloc_topology_load(t.get()) != 0)
    throw error("P15", "the machine cannot be inspected")
        .because(std::string("hwloc: ") + std::strerror(errno))
        .remedy("describe it in a file: see docs/guide/platform.md");
  auto is = collector(t.get()).collect();
  const auto limits = limits_of_this_process();
  if (limits.memory_bytes)
    for (auto& p : is.places)
      if (p.kind == place_kind::system_memory || p.kind == place_kind::numa)
        p.capacity_bytes = std::min(p.capacity_bytes.value_or(*limits.memory_bytes), *limits.memory_bytes);
  if (workers == 0) {
    workers = static_cast<std::uint32_t>(default_homes(is).size());
    // A worker whose time is cut by the quota stalls the others; a part of a CPU still counts as one worker.
    if (limits.cpus && *limits.cpus < workers) workers = static_cast<std::uint32_t>(std::ceil(*limits.cpus));
  }
  add_default_paths(is, workers);
  return is;
}

platform_description synthesize(const std::string& synthetic, std::uint32_t workers) {
  const base::fork_delay here;  // hwloc locks its list of components
  auto t = new_topology();
  if (synthetic.find('\0') != synthetic.npos || hwloc_topology_set_synthetic(t.get(), synthetic.c_str()) != 0 ||
      hwloc_topology_load(t.get()) != 0)
    throw error("P13", "\"" + synthetic.substr(0, 200) + "\" is not a synthetic machine that hwloc understands")
        .remedy("write levels from the outside in, such as \"pack:2 numa:1 l3:1 l2:64 core:1 pu:1\"");
  auto is = collector(t.get()).collect();
  add_default_paths(is, workers ? workers : static_cast<std::uint32_t>(default_homes(is).size()));
  return is;
}

}  // namespace stretto::places
