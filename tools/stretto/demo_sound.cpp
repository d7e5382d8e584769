// demo_sound.cpp - stretto demo sound: the wave of stretto demo wave, on buffers that are distributed over all nodes
// and their devices.
#include <fmt/format.h>

#include <algorithm>
#include <stretto/job.hpp>
#include <utility>

#include "demo/on_buffers/sound.hpp"
#include "demo/stopwatch.hpp"
#include "demo/wave/image.hpp"
#include "demo/wave/options.hpp"
#include "demo/wave/output_folder.hpp"
#include "demo/wave/painter.hpp"
#include "demo/wave/serial_reference.hpp"
#include "demo/wave/shipped_medium.hpp"
#include "stretto/demo_on_buffers.hpp"
#include "stretto/demos.hpp"

namespace stretto::tools {

int demo_sound(const invocation& call) {
  demo_on_buffers demo(call);
  int columns = 480, steps = 500;
  std::filesystem::path medium;
  demo.number("--columns", columns, "cells across the field", {32, 8000});
  demo.number("--steps", steps, "time steps", {1, 1'000'000});
  demo.words()
      .add_option("--medium", medium, "PNG or PGM picture of the ground; else the shipped one")
      ->type_name("FILE");
  if (const auto done = demo.read("where the picture goes")) return *done;
  const wave::grey_image picture =
      wave::read_image(medium.empty() ? wave::shipped_medium(wave::running_program()) : medium);
  const int rows = std::max(wave::smallest_side, columns * picture.size.rows / picture.size.columns);
  const wave::plan planned =
      wave::validate({.size = fmt::format("{}x{}", columns, rows), .steps = std::to_string(steps)}, {picture.size, 1});
  const wave::medium ground =
      wave::make_medium(wave::resample(picture, planned.size), planned.velocities, planned.spacing_m);
  const wave::problem problem = wave::pose(ground, planned.sources, planned.steps);
  return demo.run([&] {
    const stopwatch clock;
    const on_buffers::sound heard = on_buffers::sound_on_nodes(problem);
    const double seconds = clock.seconds();
    if (this_node() != 0) return true;

    const wave::serial_result serially = wave::run_serial(problem);
    const double difference = std::max(wave::largest_difference(heard.last.view(), serially.last.view()),
                                       wave::largest_difference(heard.before_last.view(), serially.before_last.view()));
    const double largest = wave::largest_of(serially.last.view());
    const bool is_so = difference <= wave::tolerance_on_devices * largest;
    const auto file = demo.file("sound.png");
    const wave::painter painted(ground, problem.edge, problem.sources, wave::still_side);
    wave::write_file(file, wave::encode_png(painted.still(heard.last.view())));
    if (demo.json()) {
      demo_on_buffers::print({{"rows", rows},
                              {"columns", columns},
                              {"steps", steps},
                              {"nodes", job_nodes()},
                              {"difference", difference},
                              {"largest", largest},
                              {"as_serial", is_so},
                              {"seconds", seconds}});
    } else {
      fmt::print("Sound in a ground of {} x {} cells, {} steps, {}: {:.3f} s\n", rows, columns, steps, demo.on_nodes(),
                 seconds);
      fmt::print("pressures up to {:.3g}, {} a serial run{}\n  {}\n", largest, is_so ? "as in" : "NOT as in",
                 difference == 0 ? ", to the last bit" : fmt::format(", to {:.1g}", difference), file.string());
    }
    return is_so;
  });
}

}  // namespace stretto::tools
