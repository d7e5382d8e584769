// demo_bodies.cpp - stretto demo bodies: two discs of bodies, each of which attracts each, positions on all nodes.
#include <fmt/format.h>

#include <algorithm>
#include <stretto/job.hpp>

#include "demo/on_buffers/body_discs.hpp"
#include "demo/on_buffers/picture_sheet.hpp"
#include "demo/stopwatch.hpp"
#include "demo/wave/output_folder.hpp"
#include "stretto/demo_on_buffers.hpp"
#include "stretto/demos.hpp"

namespace stretto::tools {

int demo_bodies(const invocation& call) {
  demo_on_buffers demo(call);
  int count = 400, steps = 480;
  demo.number("--bodies", count, "in both discs together", {2, 20'000});
  demo.number("--steps", steps, "of time, a picture for each 4", {32, 100'000});
  if (const auto done = demo.read()) return *done;
  return demo.run([&] {
    const gravity::course course{steps, 0.02, 4};
    const gravity::bodies first = on_buffers::two_discs(count);
    const stopwatch clock;
    const auto moments = gravity::on_nodes(first, course);
    const double seconds = clock.seconds();
    if (this_node() != 0) return true;

    const auto kept = static_cast<int>(moments.size());
    const double differs =
        gravity::difference(moments.back(), gravity::serially(first, {kept * course.every, course.dt}));
    const auto changes = on_buffers::energy_changes(first, moments);
    const double most = *std::ranges::max_element(changes), drift = on_buffers::drift_of_all(moments.back());
    const bool is_so = differs < 1e-6, is_kept = most < 1e-2 && drift < 1e-12;

    const auto sheet = demo.file("bodies.png"), moving = demo.file("bodies_moving.png"),
               energy = demo.file("bodies_energy.svg");
    const auto pictures = on_buffers::pictures_of(moments, 360);
    std::vector<wave::byte_image> some;
    for (int n = 1; n <= 8; ++n) some.push_back(pictures[static_cast<std::size_t>(n * kept / 8 - 1)]);
    wave::write_file(sheet, wave::encode_png(on_buffers::sheet_of(some, on_buffers::disc_palette(), 4, 6)));
    wave::animated_png animation(pictures[0].size, on_buffers::disc_palette(), 15);
    for (const auto& one : pictures) animation.add(one);
    wave::write_file(moving, animation.finish());
    write_text(energy, on_buffers::energy_chart(changes, course.every * course.dt));

    if (demo.json()) {
      demo_on_buffers::print({{"bodies", count},
                              {"steps", steps},
                              {"nodes", job_nodes()},
                              {"energy_change", most},
                              {"drift", drift},
                              {"largest_difference", differs},
                              {"seconds", seconds}});
    } else {
      fmt::print("Two discs of {} bodies, {} steps, {}: {:.3f} s\n", count, steps, demo.on_nodes(), seconds);
      fmt::print("{} a serial run, to {:.2g}; energy and momentum are {}kept, to {:.2g} and {:.2g}\n",
                 is_so ? "as" : "NOT as", differs, is_kept ? "" : "NOT ", most, drift);
      fmt::print("  {}\n  {}\n  {}\n", sheet.string(), moving.string(), energy.string());
    }
    return is_so && is_kept;
  });
}

}  // namespace stretto::tools
