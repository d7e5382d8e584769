// Kernels with names or directives that only the host's compiler knows, on every device: the error names the user's
// line.
#include <stretto/error.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "conformance/bench.hpp"
#include "device/kernels_that_devices_refuse.hpp"
#include "thrown_by.hpp"

namespace stretto::device {
namespace {

/// "kernels_that_devices_refuse.hpp:LINE:" of a line behind the first that holds the words.
std::string place_of(const std::string& words, unsigned behind = 0) {
  const std::string file = "kernels_that_devices_refuse.hpp";
  std::ifstream in(STRETTO_SOURCE_DIR "/tests/device/" + file);
  std::string one;
  for (unsigned n = 1; std::getline(in, one); ++n)
    if (one.find(words) != std::string::npos) return file + ":" + std::to_string(n + behind);
  return {};
}

TEST_CASE("a macro in a kernel is refused by every device's compiler, in the user's file and line") {
  on_each([](bench& b) {
    const auto compile = [&](const kernel_code& code) { return test::error_of([&] { b.on->compile(code); }); };
    const error e = compile(test::uses_a_macro.code());
    INFO(std::string(e.what()));
    CHECK(e.code() == "K12");
    CHECK(e.sentence() == "kernel \"uses_a_macro\" does not compile for the device");
    CHECK(e.facts()[0].first == "kernel");
    CHECK(e.facts()[1].first == "device");
    CHECK(e.why().find(place_of("x(i) += i +", 1) + ":") != std::string::npos);
    CHECK(e.why().find("STRETTO_TEST_RADIUS") != std::string::npos);
    const error of_a_function = compile(test::is_helped_by_a_macro.code());
    INFO(std::string(of_a_function.what()));
    CHECK(of_a_function.code() == "K12");
    CHECK(of_a_function.why().find(place_of("FUNCTION(int, helps_by_a_macro") + ":") != std::string::npos);
  });
}

TEST_CASE("a directive in a kernel is refused before any device's compiler sees the branch that was taken") {
  on_each([](bench& b) {
    for (const kernel_code* code : {&test::has_a_directive.code(), &test::is_helped_by_a_directive.code()})
      CHECK(test::error_of([&] { b.on->compile(*code); }).code() == "K10");
  });
}

TEST_CASE("all names that kernels may use compile on every device") {
  on_each([](bench& b) {
    if (!b.on->about().has_double) return;
    CHECK_NOTHROW(b.on->compile(test::names_all_sorts_of_things.code()));
    CHECK_NOTHROW(b.on->compile(test::names_what_groups_have.code()));
  });
}

}  // namespace
}  // namespace stretto::device
