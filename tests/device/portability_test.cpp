// Obstacles to running a kernel on devices are found even if only the host runs it.
#include <stretto/error.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "device/kernel_text.hpp"
#include "device/kernels_for_tests.hpp"
#include "device/kernels_that_devices_refuse.hpp"
#include "device/portability.hpp"

namespace stretto::device {
namespace {

const std::string file = STRETTO_SOURCE_DIR "/tests/device/kernels_that_devices_refuse.hpp";

/// "FILE:LINE" of the first line that holds the words, or of one behind it.
std::string line_of(const std::string& words, unsigned behind = 0) {
  std::ifstream in(file);
  std::string one;
  for (unsigned n = 1; std::getline(in, one); ++n)
    if (one.find(words) != std::string::npos) return file + ":" + std::to_string(n + behind);
  return {};
}

TEST_CASE("a kernel with a name of the host's program does not compile for devices; the error has line and name") {
  const auto refused = [](const kernel_code& code, const std::string& name, const std::string& where) {
    const auto e = device_refusal(code);
    REQUIRE(e);
    CHECK(e->code() == "K12");
    CHECK(e->why() ==
          where + ": devices do not know \"" + name + "\": a macro, a function or another name of the host's program");
    CHECK(e->sentence() == "kernel \"" + std::string(code.name) + "\" does not compile for the device");
  };
  refused(test::uses_a_macro.code(), "STRETTO_TEST_RADIUS", line_of("x(i) += i +", 1));
  refused(test::calls_the_host.code(), "of_the_host", line_of("KERNEL(calls_the_host"));
  refused(test::names_a_constant_of_the_host.code(), "known_to_the_host", line_of("KERNEL(names_a_constant"));
  refused(test::has_a_type_of_the_host.code(), "number_of_the_host", line_of("KERNEL(has_a_type"));
  refused(test::takes_a_structure_of_the_host.code(), "structure_of_the_host", line_of("KERNEL(takes_a_structure"));
  refused(test::is_helped_by_a_macro.code(), "STRETTO_TEST_RADIUS", line_of("FUNCTION(int, helps_by_a_macro"));
}

TEST_CASE("a kernel with a preprocessor directive cannot be translated for devices, and the error has its line") {
  const auto refused = [](const kernel_code& code, const std::string& spelled) {
    const auto e = device_refusal(code);
    REQUIRE(e);
    CHECK(e->code() == "K10");
    CHECK(e->facts()[0].second == line_of(spelled));
    CHECK(e->why() == "\"" + spelled + "\" in its text: devices get only the branch that the host's compiler took");
    for (const dialect d : {dialect::opencl, dialect::cuda}) CHECK_THROWS_AS(text_for(code, d), error);
  };
  refused(test::has_a_directive.code(), "#ifdef STRETTO_TEST_RADIUS");
  refused(test::is_helped_by_a_directive.code(), "#if STRETTO_TEST_RADIUS > 2");
}

TEST_CASE("no device refuses names that kernels may use") {
  for (const kernel_code* code :
       {&test::names_all_sorts_of_things.code(), &test::names_what_groups_have.code(), &jacobi.code(), &numbered.code(),
        &kick.code(), &mathematics.code(), &tally.code(), &sum_of_group.code(), &tiled_product.code(),
        &every_atomic.code(), &histogram.code(), &folds_of_64_bits.code(), &folds_by_own.code(),
        &mixed_mathematics.code(), &shared_by_all.code()}) {
    INFO(code->name);
    const auto e = device_refusal(*code);
    INFO((e ? e->what() : ""));
    CHECK_FALSE(e);
  }
}

TEST_CASE("a checked run on the host warns once of each kernel that devices refuse") {
  std::vector<std::string> said;
  const auto warn = [&](const std::string& text) { said.push_back(text); };
  for (int n = 0; n < 3; ++n)
    for (const kernel_code* code : {&test::uses_a_macro.code(), &test::has_a_directive.code(), &jacobi.code()})
      warn_of_device_refusal(*code, warn);
  REQUIRE(said.size() == 2);
  CHECK(said[0].starts_with("kernel \"uses_a_macro\" (" + file + ":"));
  CHECK(said[0].find(") would run on the host alone: " + line_of("x(i) += i +", 1) +
                     ": devices do not know \"STRETTO_TEST_RADIUS\"") != std::string::npos);
  CHECK(said[1].find("\"#ifdef STRETTO_TEST_RADIUS\" stands in it") != std::string::npos);
}

}  // namespace
}  // namespace stretto::device
