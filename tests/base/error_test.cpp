#include <doctest/doctest.h>

#include <array>
#include <stdexcept>
#include <stretto/error.hpp>

#include "base/error_output.hpp"
#include "base/nearest_name.hpp"

using stretto::error;

TEST_CASE("an error prints code, sentence, facts, because and try in that order") {
  const auto e = error("B04", "two chunks write the same elements")
                     .fact("overlap", "rows 1023-1025")
                     .remedy("write into a second buffer")
                     .because("neighborhood widens every chunk");
  CHECK(std::string(e.what()) ==
        "error B04: two chunks write the same elements\n"
        "  overlap     rows 1023-1025\n"
        "  because     neighborhood widens every chunk\n"
        "  try         write into a second buffer");
}

TEST_CASE("an error as JSON is one line with the same fields, and the error that led to it whole") {
  const auto root = error("P11", "no file").fact("file", "a\nb");
  const auto e = error("B04", "two \"chunks\"")
                     .fact("overlap", "rows 1-2")
                     .fact("overlap", "rows 5-6")
                     .because("no file")
                     .remedy("wait")
                     .caused_by(std::make_exception_ptr(root));
  CHECK(e.to_json() == R"({"code":"B04","sentence":"two \"chunks\"","facts":[{"name":"overlap","value":"rows 1-2"},)"
                       R"({"name":"overlap","value":"rows 5-6"}],"because":"no file","try":"wait",)"
                       R"("cause":{"code":"P11","sentence":"no file","facts":[{"name":"file","value":"a\nb"}]}})");
  CHECK(std::string(e.what()).find("P11") == std::string::npos);
}

TEST_CASE("the JSON of an error tells of causes that are no errors, and of bytes that are no text") {
  CHECK(error("B01", "x").caused_by(std::make_exception_ptr(std::runtime_error("disk full"))).to_json() ==
        R"({"code":"B01","sentence":"x","facts":[],"cause":{"sentence":"disk full"}})");
  CHECK(error("B01", "x").caused_by(std::make_exception_ptr(42)).to_json() ==
        R"({"code":"B01","sentence":"x","facts":[],"cause":{"sentence":"an exception that is not a std::exception"}})");
  CHECK(error("B01", "a\xff").to_json() == "{\"code\":\"B01\",\"sentence\":\"a\xef\xbf\xbd\",\"facts\":[]}");
}

TEST_CASE("an exception that is no error of Stretto is printed as W00") {
  using stretto::base::error_form, stretto::base::printed;
  CHECK(printed(std::runtime_error("no memory"), error_form::text) == "error W00: no memory\n");
  CHECK(printed(std::runtime_error("no memory"), error_form::json) ==
        "{\"code\":\"W00\",\"sentence\":\"no memory\",\"facts\":[]}\n");
}

TEST_CASE("the form of errors is found before any option is read, from the flag, else from the environment") {
  using stretto::base::error_form, stretto::base::error_form_of;
  using words = std::vector<std::string>;
  CHECK(error_form_of({}, {}) == error_form::text);
  CHECK(error_form_of({{"STRETTO_ERRORS", "json"}}, {}) == error_form::json);
  CHECK(error_form_of({{"STRETTO_ERRORS", "xml"}}, {}) == error_form::text);
  CHECK(error_form_of({{"STRETTO_ERRORS", "json"}}, words{"demo", "--errors", "text"}) == error_form::text);
  CHECK(error_form_of({}, words{"demo", "--errors=json"}) == error_form::json);
  CHECK(error_form_of({}, words{"--errors"}) == error_form::text);
  CHECK(error_form_of({}, words{"--", "--errors=json"}) == error_form::text);
}

TEST_CASE("changing a copy of an error leaves the original as it was") {
  const error original("B01", "first");
  error copy = original;
  copy.fact("more", "here");
  CHECK(original.facts().empty());
  CHECK(copy.facts().size() == 1);
}

TEST_CASE("a misspelt name finds its nearest neighbour and nonsense finds none") {
  const std::array<std::string, 3> names{"workers", "trace", "stack_size"};
  CHECK(stretto::base::nearest_name("wrokers", names) == "workers");
  CHECK(stretto::base::nearest_name("stack-size", names) == "stack_size");
  CHECK_FALSE(stretto::base::nearest_name("qqqqqqq", names));
}
