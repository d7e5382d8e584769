#include <fmt/format.h>

#include "demo/jacobi3d/run.hpp"

namespace jacobi3d {
namespace {

std::string count(std::uint32_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

}  // namespace

std::string to_text(const report& r) {
  const auto& size = r.what.size;
  std::string text = fmt::format("Jacobi on {} x {} x {} cells, {}, on {} with {} each{}\n", size[0], size[1], size[2],
                                 count(r.what.iterations, "step"), count(r.nodes, "node"), count(r.workers, "worker"),
                                 r.where == cells_on::devices ? ", computed by devices" : "");
  text += fmt::format("  serial loop           {:9.4f} s  {:8.1f} million cells per second\n\n", r.serial_seconds,
                      r.million_cells_per_second(r.serial_seconds));
  text += "  cuboids per worker  cuboids    seconds  million cells per second  per worker, to the serial loop\n";
  for (const measured& m : r.runs)
    text += fmt::format("  {:>18}  {:>7}  {:9.4f}  {:24.1f}  {:30.2f}\n", m.factor, m.cuboids, m.seconds,
                        r.million_cells_per_second(m.seconds), r.ratio_per_worker(m));
  text += fmt::format("\n  The last step changes a value by at most {:.3g}. Every value is the serial loop's to the last bit.\n",
                      r.runs.front().last_change);
  return text;
}

}  // namespace jacobi3d
