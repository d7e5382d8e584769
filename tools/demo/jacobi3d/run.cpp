#include "demo/jacobi3d/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/stretto.hpp>

#include "demo/jacobi3d/cuboid.hpp"
#include "demo/jacobi3d/device_cuboid.hpp"

namespace jacobi3d {
namespace {

using namespace stretto;

template <class Cuboid>
struct part {
  mobile<Cuboid> is;
  block where;
  user_event done;
};

/// Neighbours lie on the same node where the cut allows it: nodes have cuboids that follow one another.
template <class Cuboid>
std::vector<part<Cuboid>> make_parts(const problem& p, const triple& parts) {
  std::vector<part<Cuboid>> all;
  const std::size_t count = cells(parts);
  for (std::uint32_t z = 0; z < parts[2]; ++z)
    for (std::uint32_t y = 0; y < parts[1]; ++y)
      for (std::uint32_t x = 0; x < parts[0]; ++x) {
        const auto node = static_cast<std::uint32_t>(all.size() * job_nodes() / count);
        const block b = block_at(p.size, parts, {x, y, z});
        const std::string called = fmt::format("cuboid {}, {}, {}", x, y, z);
        all.push_back({make_mobile<Cuboid>(at_node(node), name(called), p, b), b, user_event::create()});
      }
  return all;
}

template <class Cuboid>
std::array<mobile<Cuboid>, sides> neighbours_of(const std::vector<part<Cuboid>>& all, const triple& parts, std::size_t i) {
  const std::size_t stride[] = {1, parts[0], std::size_t{parts[0]} * parts[1]};
  std::array<mobile<Cuboid>, sides> found;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const std::size_t position = i / stride[axis] % parts[axis];
    if (position > 0) found[2 * axis] = all[i - stride[axis]].is;
    if (position + 1 < parts[axis]) found[2 * axis + 1] = all[i + stride[axis]].is;
  }
  return found;
}

template <class Cuboid>
measured run_once(const problem& p, std::uint32_t factor, std::uint32_t cuboids, const field& expected) {
  const triple parts = cut(p.size, cuboids);
  const std::vector<part<Cuboid>> all = make_parts<Cuboid>(p, parts);
  std::vector<event> made;
  for (const auto& one : all) made.push_back(send(one.is, call([](const Cuboid&) {})));
  wait(merge(made));

  measured m{factor, cuboids, 0, 0};
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < all.size(); ++i)
    detached([&] { send(all[i].is, call<&Cuboid::begin>(neighbours_of(all, parts, i), all[i].done)); });
  std::vector<event> ends;
  for (const auto& one : all) ends.push_back(one.done);
  wait(merge(ends));
  m.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  for (const auto& one : all) {
    const double off = largest_difference(send(one.is, call<&Cuboid::values>()).get(), one.where, expected);
    if (!(off <= 0))
      throw error("W32", "the cuboids do not compute what the serial loop does")
          .fact("cuboid", to_string(one.is))
          .fact("difference", fmt::format("{:.3g}", off))
          .because("every value is the same sum of the same six neighbours, however the cells are cut")
          .remedy("this is a fault of Stretto: please report it with the command line");
    m.last_change = std::max(m.last_change, send(one.is, call<&Cuboid::last_change>()).get());
    destroy(one.is);
  }
  return m;
}

}  // namespace

double report::million_cells_per_second(double seconds) const {
  return static_cast<double>(cells(what.size)) * what.iterations / seconds / 1e6;
}

double report::ratio_per_worker(const measured& m) const { return serial_seconds / m.seconds / (nodes * workers); }

report run(const problem& p, const std::vector<std::uint32_t>& factors, std::uint32_t workers, cells_on where) {
  report r{.what = p, .where = where, .nodes = job_nodes(), .workers = workers, .runs = {}};
  for (const std::uint32_t factor : factors) cut(p.size, factor * r.nodes * workers);  // before the serial loop takes its time
  double change = 0;
  const auto start = std::chrono::steady_clock::now();
  const field expected = relaxed_serially(p, change);
  r.serial_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto once = where == cells_on::devices ? run_once<device_cuboid> : run_once<cuboid>;
  for (const std::uint32_t factor : factors) r.runs.push_back(once(p, factor, factor * r.nodes * workers, expected));
  return r;
}

}  // namespace jacobi3d
