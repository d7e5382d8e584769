// Parsing of device requests, opening of devices, and the errors if there are none.
#include "device/backend.hpp"

#include <stretto/error.hpp>

#include <doctest/doctest.h>

#include <new>

#include "device/sim/sim_device.hpp"
#include "device/sim/sim_settings.hpp"
#include "thrown_by.hpp"

namespace stretto::device {
namespace {

opened_device usable(const char* name) {
  sim::options o;
  o.name = name;
  o.memory_bytes = 4096;
  o.clock = [] { return 0.0; };
  opened_device f;
  f.name = name;
  f.is = std::move(sim::make(o).device);
  return f;
}

std::vector<backend> known() {
  return {{"fast", false,
           +[](const open_options&) {
             std::vector<opened_device> all;
             all.push_back(usable("f0")), all.push_back(usable("f1"));
             return all;
           }},
          {"broken", false,
           +[](const open_options&) {
             std::vector<opened_device> all;
             all.push_back({"old card", nullptr, "its driver is too old", "install a newer one"});
             return all;
           }},
          {"made_up", true, +[](const open_options& s) {
             std::vector<opened_device> all;
             for (unsigned i = 0; i < (s.at_most == ~0u ? 1 : s.at_most); ++i) all.push_back(usable("m"));
             return all;
           }}};
}

std::size_t opened(std::string_view text) { return open_devices(parse_devices(text, known()), known(), {}).size(); }

TEST_CASE("devices are asked for by words") {
  CHECK(opened("") == 0);
  CHECK(opened("none") == 0);
  CHECK(opened("all") == 2);  // "all" leaves out broken and simulated devices
  CHECK(opened("fast:1") == 1);
  CHECK(opened("fast,made_up:3") == 5);
  CHECK(opened("all,made_up") == 3);
}

TEST_CASE("an unknown word is refused with the possible ones") {
  CHECK(test::thrown_by([] { opened("fats"); }) ==
        "error K26: option devices cannot be \"fats\": \"fats\" names no kind of device\n"
        "  allowed     all, none, fast, broken, made_up; a kind may have a number, as in sim:4\n"
        "  try         did you mean \"fast\"?");
  for (const char* text : {"fast:0", "fast:x", "fast:", "made_up:65", "fast:1:2"})
    CHECK(test::thrown_by([&] {
            opened(text);
          }).starts_with("error K26: option devices cannot be \"" + std::string(text)));
  CHECK(test::thrown_by([] { opened("fast,,fast"); }).starts_with("error K26"));
}

TEST_CASE("a kind with a question mark need not be there") {
  CHECK(opened("broken?,fast") == opened("fast"));
  const auto parsed = parse_devices("made_up?:2,fast", known());
  CHECK(parsed.at(0).backend == "made_up");
  CHECK_FALSE(parsed.at(0).is_named);
  CHECK(parsed.at(0).at_most == 2);
  CHECK(parsed.at(1).is_named);
  CHECK(test::thrown_by([] { opened("fats?"); }).starts_with("error K26"));
}

TEST_CASE("settings of devices are read, and handed to their backend alone") {
  auto all = known();
  all[2].settings = {"shared_bus", "engines"};
  const auto parsed = parse_devices("made_up:2(shared_bus,engines=1),fast:1,made_up(engines=)", all);
  REQUIRE(parsed.size() == 3);
  CHECK(parsed[0].at_most == 2);
  REQUIRE(parsed[0].settings.size() == 2);
  CHECK(parsed[0].settings[0].name == "shared_bus");
  CHECK(parsed[0].settings[1].value == "1");
  CHECK(parsed[1].settings.empty());
  CHECK(parsed[2].settings[0].value.empty());
  const auto refused = [&](const char* text) { return test::thrown_by([&] { parse_devices(text, all); }); };
  CHECK(refused("made_up(engine=1)") ==
        "error K29: devices of kind made_up have no setting \"engine\"\n"
        "  option      devices, kind made_up\n"
        "  settings    shared_bus, engines\n"
        "  try         did you mean \"engines\"?");
  CHECK(refused("fast(engines=1)").starts_with("error K29"));
  CHECK(refused("made_up()").starts_with("error K29"));
  CHECK(
      refused("made_up(engines=1").starts_with("error K26: option devices cannot be \"made_up(engines=1\": a bracket"));
  CHECK(refused("made_up(engines=1)x").starts_with("error K26"));
}

std::vector<opened_device> simulated(const char* text) {
  const auto all = all_backends();
  open_options how;
  how.memory_bytes = 1 << 20;
  return open_devices(parse_devices(text, all), all, how);
}

TEST_CASE("settings of simulated devices are what they become") {
  auto two = simulated("sim:2(shared_bus,engines=1,memory=256k,bandwidth=1G,copy_us=20,no_double)");
  REQUIRE(two.size() == 2);
  CHECK(two[0].is->reaches(*two[1].is));
  CHECK(two[1].is->about().copy_engines == 1);
  CHECK(two[1].is->about().memory_bytes == 256 << 10);
  CHECK(two[1].is->about().bandwidth_bytes_per_second == 1e9);
  CHECK(two[1].is->about().latency_seconds == doctest::Approx(20e-6));
  CHECK_FALSE(two[1].is->about().has_double);
  auto apart = simulated("sim:2(engines=2),sim");
  CHECK_FALSE(apart[0].is->reaches(*apart[1].is));
  CHECK(apart[0].is->about().memory_bytes == 1 << 20);
  CHECK(simulated("sim(memory=256K)")[0].is->about().memory_bytes == 256 << 10);  // as options take sizes
  for (const char* text : {"sim(engines=3)", "sim(engines)", "sim(memory=1)", "sim(bandwidth=fast)",
                           "sim(bandwidth=1Q)", "sim(rate=1GG)", "sim(shared_bus=1)", "sim(lose=0)"})
    CHECK_MESSAGE(test::thrown_by([&] { simulated(text); }).starts_with("error K29: setting "), text);
  CHECK(test::thrown_by([&] { simulated("sim(engines=3)"); }) ==
        "error K29: setting engines of simulated devices cannot be \"3\"\n"
        "  option      devices, kind sim\n"
        "  allowed     1 or 2 copies at a time");
}

TEST_CASE("a runtime has at most 63 devices, of whatever kinds") {
  CHECK(simulated("sim:63").size() == 63);
  CHECK(simulated("sim:31,sim:32").size() == 63);
  CHECK(test::thrown_by([] { simulated("sim:64"); }).starts_with("error K26: option devices cannot be \"sim:64\""));
  CHECK(test::thrown_by([] { simulated("sim:32,sim:32"); }) ==
        "error K26: option devices asks for 64 devices, but a runtime has at most 63\n"
        "  because     a bit mask records which memories hold a valid element, and host memory needs one bit\n"
        "  try         ask for fewer, as in sim:4; each process of a job may have as many");
}

TEST_CASE("a simulated device may copy slower in one direction") {
  const auto read = [](std::vector<setting> said) { return sim::read(said, {}).of_each; };
  const sim::options usual;
  CHECK(read({{"bandwidth", "3G"}}).to_device_bytes_per_second == 3e9);
  CHECK(read({{"bandwidth", "3G"}}).to_host_bytes_per_second == 3e9);
  CHECK(read({{"to_host", "2G"}}).to_host_bytes_per_second == 2e9);
  CHECK(read({{"to_host", "2G"}}).to_device_bytes_per_second == usual.to_device_bytes_per_second);
  CHECK(read({{"bandwidth", "3G"}, {"to_device", "1G"}}).to_device_bytes_per_second == 1e9);
  CHECK(read({{"bandwidth", "3G"}, {"to_device", "1G"}}).to_host_bytes_per_second == 3e9);
}

TEST_CASE("faults befall the simulated device and the call that they are for") {
  auto two = simulated("sim:2(device=1,fail_allocation=2)");
  for (int i = 0; i < 3; ++i) two[0].is->allocated(two[0].is->memory() + 64 * i, 64);
  two[1].is->allocated(two[1].is->memory(), 64);
  CHECK(test::error_of([&] { two[1].is->allocated(two[1].is->memory() + 64, 64); }).code() == "K30");
  two[1].is->allocated(two[1].is->memory() + 64, 64);
  auto shared = simulated("sim(memory=64k,others=62k)");
  shared[0].is->allocated(shared[0].is->memory(), 2048);
  CHECK(test::error_of([&] { shared[0].is->allocated(shared[0].is->memory() + 2048, 64); }).why() ==
        "others use 63488 of its 65536 bytes");
  shared[0].is->freed(shared[0].is->memory(), 2048);
  shared[0].is->allocated(shared[0].is->memory() + 2048, 64);
}

TEST_CASE("a named backend without a device is reported with the reason") {
  CHECK(test::thrown_by([] { opened("fast,broken"); }) ==
        "error K27: option devices asks for broken, but no such device is usable\n"
        "  found       old card\n"
        "  because     its driver is too old\n"
        "  try         install a newer one");
}

TEST_CASE("this build has the simulator, which is there for the asking") {
  const auto all = all_backends();
  REQUIRE(!all.empty());
  CHECK(all.back().name == "sim");
  open_options how;
  how.at_most = 3;
  how.stepped = true;
  how.memory_bytes = 1 << 20;
  auto three = all.back().find(how);
  REQUIRE(three.size() == 3);
  CHECK(three[2].is->about().memory_bytes == 1 << 20);
}

}  // namespace
}  // namespace stretto::device
