// demo_patterns.cpp - stretto demo patterns: arrays that grow along one, two and three axes, each part from all that is
// there already.
#include <fmt/format.h>

#include <algorithm>
#include <stretto/job.hpp>

#include "demo/on_buffers/grown_patterns.hpp"
#include "demo/stopwatch.hpp"
#include "demo/wave/output_folder.hpp"
#include "stretto/demo_on_buffers.hpp"
#include "stretto/demos.hpp"

namespace stretto::tools {

int demo_patterns(const invocation& call) {
  demo_on_buffers demo(call);
  int doublings = 7;
  demo.number("--doublings", doublings, "of rows in two dimensions; twice as many in one, two fewer in three", {4, 9});
  if (const auto done = demo.read()) return *done;
  return demo.run([&] {
    const int rows = 1 << doublings, count = rows * rows, layers = rows / 4;
    const stopwatch clock;
    const auto one = patterns::parities(count), two = patterns::binomials(rows), three = patterns::trinomials(layers);
    const double seconds = clock.seconds();
    if (this_node() != 0) return true;

    const int wrong = on_buffers::wrong_parities(one) + on_buffers::wrong_binomials(two, rows) +
                      on_buffers::wrong_trinomials(three, layers);
    const int pixels = std::max(1, 512 / rows);
    const auto first = demo.file("patterns_1d.png"), second = demo.file("patterns_2d.png"),
               third = demo.file("patterns_3d.png");
    wave::write_file(first, wave::encode_png(on_buffers::flat_picture(one, rows, pixels)));
    wave::write_file(second, wave::encode_png(on_buffers::flat_picture(two, rows, pixels)));
    wave::write_file(
        third, wave::encode_png(on_buffers::picture_of_layers(three, layers, std::max(2, 2 * (256 / layers / 2)))));

    if (demo.json()) {
      demo_on_buffers::print({{"numbers", count},
                              {"rows", rows},
                              {"layers", layers},
                              {"nodes", job_nodes()},
                              {"wrong", wrong},
                              {"seconds", seconds}});
    } else {
      fmt::print("{} numbers, {} rows, {} layers, {}: {:.3f} s\n", count, rows, layers, demo.on_nodes(), seconds);
      fmt::print("{}\n  {}\n  {}\n  {}\n",
                 wrong == 0 ? "all elements are as closed forms say"
                            : fmt::format("{} elements are NOT as closed forms say", wrong),
                 first.string(), second.string(), third.string());
    }
    return wrong == 0;
  });
}

}  // namespace stretto::tools
