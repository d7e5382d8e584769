// Which devices are asked for, and what is said where there are none.
#include "device/backend.hpp"

#include <stretto/error.hpp>

#include <doctest/doctest.h>

#include "device/sim/sim_device.hpp"
#include "thrown_by.hpp"

namespace stretto::device {
namespace {

found usable(const char* name) {
  sim::options o;
  o.name = name;
  o.memory_bytes = 4096;
  o.clock = [] { return 0.0; };
  found f;
  f.name = name;
  f.is = std::move(sim::make(o).device);
  return f;
}

std::vector<backend> known() {
  return {{"fast", false, +[](const search&) {
             std::vector<found> all;
             all.push_back(usable("f0")), all.push_back(usable("f1"));
             return all;
           }},
          {"broken", false, +[](const search&) {
             std::vector<found> all;
             all.push_back({"old card", nullptr, "its driver is too old", "install a newer one"});
             return all;
           }},
          {"made_up", true, +[](const search& s) {
             std::vector<found> all;
             for (unsigned i = 0; i < (s.at_most == ~0u ? 1 : s.at_most); ++i) all.push_back(usable("m"));
             return all;
           }}};
}

std::size_t opened(std::string_view text) { return open_devices(parse_devices(text, known()), known(), {}).size(); }

TEST_CASE("devices are asked for by words") {
  CHECK(opened("") == 0);
  CHECK(opened("none") == 0);
  CHECK(opened("all") == 2);  // what is broken is left out, what is simulated is not meant
  CHECK(opened("fast:1") == 1);
  CHECK(opened("fast,made_up:3") == 5);
  CHECK(opened("all,made_up") == 3);
}

TEST_CASE("a word that is none says what may be said") {
  CHECK(test::thrown_by([] { opened("fats"); }) ==
        "error K26: option devices cannot be \"fats\": \"fats\" names no kind of device\n"
        "  allowed     all, none, fast, broken, made_up; all but the first two also with a number, as in sim:4\n"
        "  try         did you mean \"fast\"?");
  for (const char* text : {"fast:0", "fast:x", "fast:", "made_up:65", "fast:1:2"})
    CHECK(test::thrown_by([&] { opened(text); }).starts_with("error K26: option devices cannot be \"" + std::string(text)));
  CHECK(test::thrown_by([] { opened("fast,,fast"); }).starts_with("error K26"));
}

TEST_CASE("what is named and not there is told with its reason") {
  CHECK(test::thrown_by([] { opened("fast,broken"); }) ==
        "error K27: option devices asks for broken, and there is no such device that can be used\n"
        "  found       old card\n"
        "  because     its driver is too old\n"
        "  try         install a newer one");
}

TEST_CASE("this build has the simulator, which is there for the asking") {
  const auto all = all_backends();
  REQUIRE(!all.empty());
  CHECK(all.back().name == "sim");
  search how;
  how.at_most = 3;
  how.stepped = true;
  how.memory_bytes = 1 << 20;
  auto three = all.back().find(how);
  REQUIRE(three.size() == 3);
  CHECK(three[2].is->about().memory_bytes == 1 << 20);
}

}  // namespace
}  // namespace stretto::device
