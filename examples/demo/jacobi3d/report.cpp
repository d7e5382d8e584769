#include <fmt/format.h>

#include "demo/jacobi3d/run.hpp"

namespace jacobi3d {
namespace {

std::string count(std::uint32_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

double of_steps(const problem& p, std::uint32_t from) { return static_cast<double>(p.iterations - from); }

}  // namespace

double report::serial_million_cells_per_second() const {
  return static_cast<double>(cells(what.size)) * what.iterations / serial_seconds / 1e6;
}

double report::million_cells_per_second(const measured& m) const {
  return static_cast<double>(cells(what.size)) * of_steps(what, m.from) / m.seconds / 1e6;
}

double report::cuboids_per_worker(const measured& m) const {
  return static_cast<double>(m.cuboids) / (nodes * workers);
}

double report::ratio_per_worker(const measured& m) const {
  return serial_seconds * of_steps(what, m.from) / what.iterations / m.seconds / (nodes * workers);
}

std::string to_text(const report& r) {
  const auto& size = r.what.size;
  std::string text = fmt::format("Jacobi on {} x {} x {} cells, {}, on {} with {} each{}\n", size[0], size[1], size[2],
                                 count(r.what.iterations, "step"), count(r.nodes, "node"), count(r.workers, "worker"),
                                 r.where == cells_on::devices ? ", computed by devices" : "");
  text += fmt::format("  serial loop           {:9.4f} s  {:8.1f} million cells per second\n\n", r.serial_seconds,
                      r.serial_million_cells_per_second());
  text += "  cuboids per worker  cuboids    seconds  million cells per second  per worker, to the serial loop\n";
  for (const measured& m : r.runs)
    text += fmt::format("  {:>18.4g}  {:>7}  {:9.4f}  {:24.1f}  {:30.2f}\n", r.cuboids_per_worker(m), m.cuboids,
                        m.seconds, r.million_cells_per_second(m), r.ratio_per_worker(m));
  for (const measured& m : r.runs) {
    if (m.from)
      text += fmt::format("\n  It went on from a checkpoint after step {}: its time is of the steps since.\n", m.from);
    if (m.saved)
      text += fmt::format("\n  It was saved {}; the files were written while work went on.\n", count(m.saved, "time"));
  }
  text += fmt::format(
      "\n  The last step changes a value by at most {:.3g}. Every value is the serial loop's to the last bit.\n",
      r.runs.front().last_change);
  return text;
}

}  // namespace jacobi3d
