// demo_rsim.cpp - stretto demo rsim: a flash of light in a room, in which each step reads what all patches have
// radiated before.
#include <fmt/format.h>

#include <algorithm>
#include <stretto/job.hpp>
#include <vector>

#include "demo/on_buffers/room_light.hpp"
#include "demo/stopwatch.hpp"
#include "demo/wave/output_folder.hpp"
#include "stretto/demo_on_buffers.hpp"
#include "stretto/demos.hpp"

namespace stretto::tools {

int demo_rsim(const invocation& call) {
  demo_on_buffers demo(call);
  int side = 12;
  on_buffers::light light;
  demo.number("--side", side, "squares along the width of the room", {2, 40});
  demo.number("--steps", light.steps, "of time", {16, 10'000});
  if (const auto done = demo.read()) return *done;
  return demo.run([&] {
    const on_buffers::room room = on_buffers::make_room(side);
    const stopwatch clock;
    const std::vector<float> radiated = on_buffers::light_on_nodes(room, light);
    const double seconds = clock.seconds();
    if (this_node() != 0) return true;

    const float differs = on_buffers::largest_difference(radiated, on_buffers::light_serially(room, light));
    const bool is_so = differs < 1e-6f;
    const int pixels = std::max(2, 60 / side);
    const auto sheet = demo.file("rsim.png"), moving = demo.file("rsim_moving.png");
    wave::write_file(sheet, wave::encode_png(on_buffers::sheet_of(room, light, radiated, pixels)));
    wave::write_file(moving, on_buffers::moving_picture_of(room, light, radiated, 2 * pixels));
    if (demo.json()) {
      demo_on_buffers::print({{"patches", room.patches},
                              {"steps", light.steps},
                              {"nodes", job_nodes()},
                              {"largest_difference", differs},
                              {"seconds", seconds}});
    } else {
      fmt::print("A flash in a room of {} patches, {} steps, {}: {:.3f} s\n", room.patches, light.steps,
                 demo.on_nodes(), seconds);
      fmt::print("{} a serial run, to {:.2g} of the flash\n  {}\n  {}\n", is_so ? "as" : "NOT as", differs,
                 sheet.string(), moving.string());
    }
    return is_so;
  });
}

}  // namespace stretto::tools
