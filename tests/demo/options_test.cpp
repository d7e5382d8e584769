#include "demo/wave/options.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <stretto/error.hpp>

#include "demo/wave/border.hpp"

using namespace stretto::wave;

namespace {

const environment here{{600, 800}, 2};

std::string message_of(const options& asked, const environment& world = here) {
  try {
    validate(asked, world);
  } catch (const stretto::error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("without options the plan fits the medium and the machine") {
  const auto p = validate({}, here);
  CHECK(p.size == extent{600, 800});
  CHECK(p.spacing_m == 10);
  CHECK(p.steps == 1200);
  CHECK(p.workers == 2);
  CHECK(p.tiles.tiles.size() == 16);
  CHECK(p.sources == std::vector<position>{{60, 400}});
  CHECK(p.frame_steps.empty());
}

TEST_CASE("every option is taken as asked") {
  const auto p = validate(
      {.size = "400x200", .steps = "50", .tiles = "8x4", .workers = "3", .sources = "0,0:0.5,0.25:1,1", .animate = "5"},
      here);
  CHECK(p.size == extent{200, 400});
  CHECK(p.spacing_m == 20);
  CHECK(p.steps == 50);
  CHECK(p.workers == 3);
  CHECK(p.tiles.across == 8);
  CHECK(p.tiles.down == 4);
  CHECK(p.sources == std::vector<position>{{0, 0}, {50, 200}, {199, 399}});
  CHECK(p.frame_steps == std::vector<int>{10, 20, 30, 40, 50});
}

TEST_CASE("the velocities of black and white are taken as asked") {
  CHECK(validate({}, here).velocities.black_mps == 1500);
  CHECK(validate({}, here).velocities.white_mps == 4500);
  const auto p = validate({.velocity = "330.5:6e3"}, here);
  CHECK(p.velocities.black_mps == 330.5);
  CHECK(p.velocities.white_mps == 6000);
  CHECK(validate({.velocity = "1:1"}, here).velocities.white_mps == 1);
}

TEST_CASE("velocities that make no sense are refused") {
  CHECK(message_of({.velocity = "1500"}) ==
        "error W27: --velocity \"1500\" is not MIN:MAX, two velocities\n"
        "  range       1 to 100000 m/s\n"
        "  because     MIN is the velocity in black pixels, MAX in white pixels\n"
        "  try         --velocity 1500:4500");
  CHECK(message_of({.velocity = "4500:1500"}) ==
        "error W27: --velocity 4500:1500 has the larger velocity first\n"
        "  because     MIN is the velocity in black pixels, MAX in white pixels\n"
        "  try         --velocity 1500:4500");
  for (const char* text :
       {"", ":", "1:", ":1", "0:1", "1:2:3", "1: 2", "a:b", "-1:5", "nan:5", "1:inf", "0.5:7", "1:1e9"}) {
    CAPTURE(text);
    CHECK(message_of({.velocity = text}).starts_with("error W27"));
  }
}

TEST_CASE("a count of sources spreads them evenly below the border") {
  const auto p = validate({.sources = "4"}, here);
  CHECK(p.sources == std::vector<position>{{60, 100}, {60, 300}, {60, 500}, {60, 700}});
}

TEST_CASE("sizes that make no sense are refused") {
  CHECK(message_of({.size = "800by600"}) ==
        "error W10: --size \"800by600\" is not WIDTHxHEIGHT\n"
        "  try         --size 800x600");
  CHECK(message_of({.size = "800x4"}) ==
        "error W10: --size 800x4 is smaller than the stencil\n"
        "  smallest    5 x 5 cells\n"
        "  because     a cell's next value depends on its neighbours up to 2 cells away\n"
        "  try         --size 800x600");
  CHECK(message_of({.size = "100000x100000"}) ==
        "error W10: --size 100000x100000 is too large\n"
        "  limit       268435456 cells, 3 GiB of fields\n"
        "  try         --size 8000x6000");
  for (const char* text : {"", "x", "5x", "x5", "5x5x5", "5 x 5", "0x0", "-8x-8", "1e3x9", "8x8 ",
                           "99999999999999999999x5", "9000000000000000000x9000000000000000000"}) {
    CAPTURE(text);
    CHECK(message_of({.size = text}).substr(0, 9) == "error W10");
  }
  CHECK(message_of({}, {{3, 800}, 2}) ==
        "error W10: the medium is smaller than the stencil\n"
        "  medium      800 x 3 pixels\n"
        "  stencil     5 x 5 cells\n"
        "  try         enlarge it with --size, for example --size 800x600");
}

TEST_CASE("steps that make no sense are refused") {
  CHECK(message_of({.steps = "ten"}) ==
        "error W11: --steps \"ten\" is not a whole number\n"
        "  try         --steps 1000");
  CHECK(message_of({.steps = "0"}) ==
        "error W11: --steps 0 is out of range\n"
        "  range       1 to 10000000 steps\n"
        "  try         --steps 1000");
  for (const char* text : {"-5", "1.5", "10000001", "", "1e3"})
    CHECK(message_of({.steps = text}).substr(0, 9) == "error W11");
}

TEST_CASE("tiles that make no sense are refused") {
  CHECK(message_of({.tiles = "16"}) ==
        "error W12: --tiles \"16\" is not ACROSSxDOWN, two counts of at least 1\n"
        "  try         --tiles 4x16");
  CHECK(message_of({.tiles = "500x2"}) ==
        "error W12: --tiles 500x2 are too many for the field\n"
        "  field       800 x 600 cells\n"
        "  most        400 x 300 tiles\n"
        "  because     each side of a tile has at least 2 cells, which its neighbours read\n"
        "  try         fewer tiles, or a larger --size");
  CHECK(message_of({.tiles = "0x4"}).substr(0, 9) == "error W12");
  CHECK(message_of({.size = "5x5", .tiles = "3x1"}).substr(0, 9) == "error W12");
}

TEST_CASE("workers that make no sense are refused") {
  CHECK(message_of({.workers = "0"}) ==
        "error W13: --workers 0 is out of range\n"
        "  range       1 to 1024 workers\n"
        "  try         --workers 2");
  CHECK(message_of({.workers = "all"}).substr(0, 9) == "error W13");
}

TEST_CASE("sources that make no sense are refused") {
  CHECK(message_of({.sources = "0.5,0.5:0.5,1.5"}) ==
        "error W14: --sources \"0.5,0.5:0.5,1.5\": \"0.5,1.5\" is not a place in the field\n"
        "  because     a place is X,Y, each from 0 to 1: 0,0 is the upper left corner, 1,1 the lower right\n"
        "  try         --sources 3 or --sources 0.25,0.2:0.75,0.2");
  CHECK(message_of({.sources = "0"}) ==
        "error W14: --sources 0 is out of range\n"
        "  range       1 to 1000 sources\n"
        "  try         --sources 3");
  std::string many = "0,0";
  for (int i = 0; i < 1000; ++i) many += ":0,0";
  CHECK(message_of({.sources = many}) ==
        "error W14: --sources names 1001 places\n"
        "  range       1 to 1000 sources\n"
        "  try         --sources 3");
  for (const char* text :
       {"", ":", "0.5", "0.5,", ",0.5", "a,b", "0,0:", "nan,0", "inf,0", "0,0,0", "-0.1,0", "1001"}) {
    CAPTURE(text);
    CHECK(message_of({.sources = text}).substr(0, 9) == "error W14");
  }
}

TEST_CASE("animations that make no sense are refused") {
  CHECK(message_of({.animate = "1"}) ==
        "error W16: --animate 1 is out of range\n"
        "  range       2 to 1000 frames\n"
        "  try         --animate 60");
  CHECK(message_of({.steps = "30", .animate = "60"}) ==
        "error W16: --animate 60 asks for more frames than there are steps\n"
        "  steps       30\n"
        "  try         fewer frames, or more --steps");
}

TEST_CASE("every plan that validates can be carried out") {
  CHECK(rc::check([] {
    const auto width = *rc::gen::inRange(1, 1200), height = *rc::gen::inRange(1, 1200);
    options asked;
    asked.size = std::to_string(width) + "x" + std::to_string(height);
    if (*rc::gen::arbitrary<bool>())
      asked.tiles = std::to_string(*rc::gen::inRange(0, 700)) + "x" + std::to_string(*rc::gen::inRange(0, 700));
    asked.sources = std::to_string(*rc::gen::inRange(1, 50));
    const int frames = *rc::gen::inRange(2, 80);
    asked.animate = std::to_string(frames);
    asked.steps = std::to_string(*rc::gen::inRange(1, 300));
    plan p;
    try {
      p = validate(asked, here);
    } catch (const stretto::error&) {
      return;
    }
    RC_ASSERT(p.size == (extent{height, width}));
    for (const auto& tile : p.tiles.tiles) RC_ASSERT(tile.rows() >= halo && tile.columns() >= halo);
    for (const auto& s : p.sources) RC_ASSERT(whole(p.size).contains(s.row, s.column));
    RC_ASSERT(int(p.frame_steps.size()) == frames);
    RC_ASSERT(p.frame_steps.back() == p.steps);
    for (std::size_t i = 1; i < p.frame_steps.size(); ++i) RC_ASSERT(p.frame_steps[i - 1] < p.frame_steps[i]);
  }));
}
