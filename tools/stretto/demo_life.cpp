// demo_life.cpp - stretto demo life: two guns whose gliders meet, on a board that is distributed over all nodes.
#include <fmt/format.h>

#include <stretto/job.hpp>

#include "demo/on_buffers/life.hpp"
#include "demo/stopwatch.hpp"
#include "demo/wave/output_folder.hpp"
#include "stretto/demo_on_buffers.hpp"
#include "stretto/demos.hpp"

namespace stretto::tools {

int demo_life(const invocation& call) {
  demo_on_buffers demo(call);
  int rows = 160, columns = 240, steps = 420;
  demo.number("--rows", rows, "of the board", {60, 10'000});
  demo.number("--columns", columns, "of the board", {90, 10'000});
  demo.number("--steps", steps, "generations", {1, 1'000'000});
  if (const auto done = demo.read("where the picture goes")) return *done;
  return demo.run([&] {
    const on_buffers::life_board first = on_buffers::first_board(rows, columns);
    const stopwatch clock;
    const on_buffers::life_board last = on_buffers::life_on_nodes(first, steps);
    const double seconds = clock.seconds();
    if (this_node() != 0) return true;

    const bool is_so = last == on_buffers::life_serially(first, steps);
    const auto file = demo.file("life.png");
    const int side = rows * columns > 100'000 ? 1 : 4;
    wave::write_file(file, wave::encode_png(on_buffers::picture_of(last, side)));
    const auto alive = on_buffers::alive_on(last);
    if (demo.json()) {
      demo_on_buffers::print({{"rows", rows},
                              {"columns", columns},
                              {"steps", steps},
                              {"nodes", job_nodes()},
                              {"alive", alive},
                              {"as_serial", is_so},
                              {"seconds", seconds}});
    } else {
      fmt::print("Life on {} x {} cells, {} steps, {}: {:.3f} s\n", rows, columns, steps, demo.on_nodes(), seconds);
      fmt::print("{} cells are alive, {} in a serial run\n  {}\n", alive, is_so ? "the same as" : "NOT the same as",
                 file.string());
    }
    return is_so;
  });
}

}  // namespace stretto::tools
