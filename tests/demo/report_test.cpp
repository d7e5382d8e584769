#include "demo/wave/report.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace stretto::wave;

namespace {

undertaking some_work() {
  undertaking work{"ground.png", {600, 800}, {}, {1500, 4500}, {0.5, 0.0011, 12.5}};
  work.planned.size = {600, 800};
  work.planned.spacing_m = 10;
  work.planned.steps = 1200;
  work.planned.workers = 2;
  work.planned.tiles = cut({600, 800}, 2, 8);
  work.planned.sources = {{60, 400}};
  return work;
}

outcome some_outcome() {
  outcome result;
  result.steps = 1200;
  result.step_tasks = 19200;
  result.halo_copies = 1;
  result.tasks = {0.5, 1.2e9};
  result.serial = speed{0.9, 0.8e9};
  result.largest_pressure = 0.0329;
  result.at_end = {0.1, 0.1};
  result.files = {{"out/wave.png", "the wave field"}, {"out/wave_animated.png", "60 frames"}};
  return result;
}

}  // namespace

TEST_CASE("the lines before the work say what will be computed, each number with its unit") {
  CHECK(text_before(some_work(), text_style::plain) ==
        "wave: sound through the ground, a task for each step of each tile\n"
        "\n"
        "  medium    ground.png, 800 x 600 pixels\n"
        "  field     800 x 600 cells of 10 m; sound travels at 1500 to 4500 m/s\n"
        "  time      1,200 steps of 1.1 ms, 1.32 s in all\n"
        "  sources   1 source of 12.5 Hz\n"
        "  tiles     2 x 8, of up to 400 x 75 cells\n"
        "  workers   2\n"
        "\n");
}

TEST_CASE("of several nodes the workers are those of all") {
  auto work = some_work();
  work.nodes = 2;
  CHECK(text_before(work, text_style::plain).find("  workers   2 on each of 2 nodes\n") != std::string::npos);
  const auto text = text_after(work, some_outcome(), text_style::plain);
  CHECK(text.find("on 4 workers\n") != std::string::npos);
  CHECK(text.find("  ratio     0.38 of the serial loop's speed per worker\n") != std::string::npos);
}

TEST_CASE("the lines after the work state speed, ratio, check, energy and files") {
  CHECK(text_after(some_work(), some_outcome(), text_style::plain) ==
        "  tasks     500 ms, 1200 million cell updates/s on 2 workers\n"
        "            19,200 tasks, 1 halo copy, no barrier\n"
        "  serial    900 ms, 800 million cell updates/s, one plain loop on one core\n"
        "  ratio     0.75 of the serial loop's speed per worker\n"
        "  check     largest difference from the serial loop 0, of pressures up to 0.0329\n"
        "  energy    0.2 (pressure squared, summed over cells)\n"
        "\n"
        "  written   out/wave.png           the wave field\n"
        "  written   out/wave_animated.png  60 frames\n");
}

TEST_CASE("a run that was stopped says how far it got and claims no check") {
  auto stopped = some_outcome();
  stopped.steps = 37;
  stopped.serial.reset();
  stopped.at_end = {};
  const auto text = text_after(some_work(), stopped, text_style::plain);
  CHECK(text.find("  stopped   by Ctrl-C, after 37 of 1,200 steps; not checked against the serial loop\n") !=
        text.npos);
  CHECK(text.find("  energy    0: the sources have not begun to move the ground\n") != text.npos);
  CHECK(text.find("ratio") == text.npos);
  CHECK(json_of(some_work(), stopped).find("largest_difference") == std::string::npos);
}

TEST_CASE("a field that holds what is not a number is null in JSON") {
  auto broken = some_outcome();
  broken.difference = std::numeric_limits<double>::infinity();
  CHECK(json_of(some_work(), broken).find("\"largest_difference\": null") != std::string::npos);
}

TEST_CASE("coloured text is plain text with escape sequences") {
  const auto coloured = text_before(some_work(), text_style::coloured);
  std::string bare;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') i = coloured.find('m', i);
    else bare += coloured[i];
  }
  CHECK(bare == text_before(some_work(), text_style::plain));
  CHECK(coloured.size() > bare.size());
}
