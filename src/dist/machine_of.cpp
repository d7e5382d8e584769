// machine_of.cpp - the functions of stretto/platform_of.hpp: a task on another node describes the platform there, and
// this node builds an equal one from the description.
//
// Threads     any of the runtime.
#include <stretto/fields.hpp>
#include <stretto/job.hpp>
#include <stretto/platform_of.hpp>
#include <stretto/remote.hpp>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "platform/platform_copy_routes.hpp"

namespace stretto {

// The fields of the description in messages. Its types belong to floors that know no messages.
template <class Archive>
void fields(Archive& a, archived<place_description, Archive>& p) {
  a(p.name, p.kind, p.capacity_bytes, p.cpus, p.device_index, p.bandwidth_bytes_per_second, p.latency_seconds);
}
template <class Archive>
void fields(Archive& a, archived<platform_description, Archive>& d) {
  a(d.places, d.links, d.pop_paths, d.steal_paths);
}

namespace places {
template <class Archive>
void fields(Archive& a, archived<copy_routes, Archive>& w) {
  a(w.ends, w.is_passed, w.end_at, w.bandwidth, w.latency);
}
}  // namespace places

namespace {

/// A platform, and the figures by which its runtime routes copies between memories, which a description lacks.
struct described_machine {
  platform_description is;
  places::copy_routes copies;
};
template <class Archive>
void fields(Archive& a, archived<described_machine, Archive>& m) {
  a(m.is, m.copies);
}

/// Runs on the node that is described.
described_machine machine_here() {
  const platform& here = this_machine();
  return {here.describe(), *places::platform_copy_routes::in(here)};
}

/// Runs on the node that has asked.
platform built(const described_machine& there) {
  return places::platform_copy_routes::added(platform::build(there.is),
                                             std::make_shared<places::copy_routes>(there.copies));
}

}  // namespace

future<std::vector<platform>> machines_of_job(std::source_location where) {
  std::vector<future<platform>> each;
  std::vector<event> told;
  for (std::uint32_t n = 0; n < job_nodes(); ++n) told.push_back(each.emplace_back(platform_of(at_node(n), where)));
  return async(
      after(std::span<const event>(told)), name("machines_of_job"),
      [each = std::move(each)] {
        std::vector<platform> all;
        for (const future<platform>& one : each) all.push_back(one.get());
        return all;
      },
      where);
}

future<platform> platform_of(at_node node, std::source_location where) {
  if (node.index == this_node()) return async(name("platform_of"), [] { return this_machine(); }, where);
  const future<described_machine> told = async(node, name("platform_of"), call<&machine_here>(), where);
  return async(after(told), name("platform_of"), [told] { return built(told.get()); }, where);
}

}  // namespace stretto
