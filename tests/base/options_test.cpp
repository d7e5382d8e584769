#include "base/options.hpp"

#include "base/error_output.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <stretto/error.hpp>

using namespace stretto::base;
using stretto::log_level;

namespace {

settings with(const environment& variables, const std::vector<std::string>& arguments = {}) {
  return parse_options(variables, arguments).values;
}

std::string message(const environment& variables, const std::vector<std::string>& arguments = {}) {
  try {
    with(variables, arguments);
  } catch (const stretto::error& e) {
    return e.what();
  }
  return "no error";
}

std::string origin_of(const parsed_options& parsed, std::string_view name) {
  for (std::size_t i = 0; i < parsed.origin.size(); ++i)
    if (option_table()[i].name == name) return parsed.origin[i];
  return "not an option";
}

}  // namespace

TEST_CASE("without variables and flags every option has its default") {
  const settings values = with({});
  CHECK(values == settings());
  CHECK(values.workers == 0);
  CHECK(values.stack_size == 256 * 1024);
  CHECK(values.max_suspended == 60000);
  CHECK(values.trace_level == trace_detail::sampled);
  CHECK(values.log == log_level::warn);
  CHECK(values.progress == switch_mode::automatic);
  CHECK_FALSE(values.check);
  CHECK(values.trace.empty());
}

TEST_CASE("a flag wins over the environment and the environment over the program") {
  settings start;
  start.workers = 2;
  start.seed = 7;
  start.device_streams = 9;
  const std::vector<std::string> flags{"--workers", "8"};
  const auto parsed =
      parse_options({{"STRETTO_WORKERS", "4"}, {"STRETTO_SEED", "5"}}, flags, foreign_arguments::refuse, start);
  CHECK(parsed.values.workers == 8);
  CHECK(parsed.values.seed == 5);
  CHECK(parsed.values.device_streams == 9);
  CHECK(parsed.origin[0] == "flag");
  CHECK(parsed.origin[1] == "default");
  CHECK(parsed.origin[2] == "default");
  CHECK(origin_of(parsed, "device_streams") == "program");
  CHECK(origin_of(parsed, "seed") == "environment");
}

TEST_CASE("of two equal flags the last counts, in either spelling of the value") {
  CHECK(with({}, {"--workers", "3", "--workers=5"}).workers == 5);
}

TEST_CASE("sizes take the suffixes k, M and G, and counts take none") {
  CHECK(with({}, {"--stack-size", "64k"}).stack_size == 65536);
  CHECK(with({}, {"--stack-size", "2M"}).stack_size == 2097152);
  CHECK(with({}, {"--stack-size", "1G"}).stack_size == 1073741824);
  CHECK(with({}, {"--stack-size", "16384"}).stack_size == 16384);
  CHECK(message({}, {"--workers", "1k"}) ==
        "error B12: option workers takes a whole number, and \"1k\" is not one\n"
        "  given by    flag --workers 1k\n"
        "  allowed     0 to 4096");
}

TEST_CASE("the two ends of a range are inside it and their neighbours are not") {
  CHECK(with({}, {"--stack-size", "16k"}).stack_size == 16384);
  CHECK(message({{"STRETTO_STACK_SIZE", "16383"}}) ==
        "error B13: option stack_size cannot be 16383\n"
        "  given by    variable STRETTO_STACK_SIZE=16383\n"
        "  allowed     16k to 1G bytes");
  CHECK(message({}, {"--stack-size=1073741825"}) ==
        "error B13: option stack_size cannot be 1073741825\n"
        "  given by    flag --stack-size 1073741825\n"
        "  allowed     16k to 1G bytes");
}

TEST_CASE("a number too large for any machine word is out of range, not another number") {
  CHECK(message({}, {"--seed", "18446744073709551616"}) ==
        "error B13: option seed cannot be 18446744073709551616\n"
        "  given by    flag --seed 18446744073709551616\n"
        "  allowed     0 or more");
  CHECK(message({}, {"--stack-size", "17179869184G"}).starts_with("error B13"));
  CHECK(with({}, {"--seed", "18446744073709551615"}).seed == 18446744073709551615u);
}

TEST_CASE("a value that is not a number is named with the expected type") {
  for (const char* text : {"many", "-1", "4 ", " 4", "4.5", "0x4", "+4"})
    CHECK_MESSAGE(message({{"STRETTO_WORKERS", text}}).starts_with("error B12"), text);
  for (const char* text : {"soon", "nan", "inf", "1s"})
    CHECK_MESSAGE(message({{"STRETTO_STUCK", text}}).starts_with("error B12"), text);
  for (const char* text : {"k", "1kk", "1T", "k1"})
    CHECK_MESSAGE(message({{"STRETTO_STACK_SIZE", text}}).starts_with("error B12"), text);
  CHECK(message({}, {"--workers", ""}).starts_with("error B12"));  // a flag was meant
  CHECK(message({}, {"--stuck", "soon"}) ==
        "error B12: option stuck takes a number, and \"soon\" is not one\n"
        "  given by    flag --stuck soon\n"
        "  allowed     0 to 1000000 seconds");
  CHECK(with({}, {"--stuck", "2.5"}).stuck == 2.5);
  CHECK(message({}, {"--stuck", "-1"}).starts_with("error B13"));
}

TEST_CASE("a choice is spelt exactly and a near miss is recognised") {
  CHECK(with({}, {"--trace-level", "full"}).trace_level == trace_detail::full);
  CHECK(with({{"STRETTO_CHECK", "1"}}).check);
  CHECK(with({{"STRETTO_LOG", "off"}}).log == log_level::off);
  CHECK(message({}, {"--trace-level", "ful"}) ==
        "error B14: option trace_level cannot be \"ful\"\n"
        "  given by    flag --trace-level ful\n"
        "  allowed     off, sampled or full\n"
        "  try         did you mean \"full\"?");
  CHECK(message({{"STRETTO_CHECK", "yes"}}) ==
        "error B14: option check cannot be \"yes\"\n"
        "  given by    variable STRETTO_CHECK=yes\n"
        "  allowed     0, 1 or learn");
}

TEST_CASE("a variable that is spelt almost as an option is ignored with a warning") {
  const auto read = parse_options({{"STRETTO_WROKERS", "4"}}, {});
  CHECK(read.values == settings());
  REQUIRE(read.misspelt.size() == 1);
  CHECK(printed_warning(read.misspelt[0], error_form::text) ==
        "warning B10: the environment variable STRETTO_WROKERS is not an option of Stretto and is ignored\n"
        "  try         did you mean \"STRETTO_WORKERS\"?\n");
  CHECK(printed_warning(read.misspelt[0], error_form::json) ==
        "{\"severity\":\"warning\",\"code\":\"B10\",\"sentence\":\"the environment variable STRETTO_WROKERS is not an "
        "option of Stretto and is ignored\",\"facts\":[],\"try\":\"did you mean \\\"STRETTO_WORKERS\\\"?\"}\n");
}

TEST_CASE("variables of others and of the test suite are left alone") {
  const auto read = parse_options({{"PATH", "/bin"},
                                   {"STRETTO_TEST_LONG", "1"},
                                   {"XSTRETTO_WORKERS", "4"},
                                   {"STRETTO_ROOT", "/opt/stretto"},
                                   {"STRETTO_ABCDEFGHIJKLMNOP_Q", "4"}},
                                  {});
  CHECK(read.values == settings());
  CHECK(read.misspelt.empty());
}

TEST_CASE("a variable without a value counts as not set") {
  const environment empty{
      {"STRETTO_WORKERS", ""}, {"STRETTO_SPEEDS", ""}, {"STRETTO_TRACE_LEVEL", ""}, {"STRETTO_WROKERS", ""}};
  CHECK(with(empty) == settings());
  CHECK(parse_options(empty, {}).misspelt.empty());
}

TEST_CASE("a misspelt flag is found") {
  CHECK(message({}, {"--stack_size", "64k"}) ==
        "error B11: \"--stack_size\" is not a flag of Stretto\n"
        "  try         did you mean \"--stack-size\"?");
  CHECK(message({}, {"--frobnicate=1"}) ==
        "error B11: \"--frobnicate=1\" is not a flag of Stretto\n"
        "  try         `stretto options` lists the flags");
}

TEST_CASE("a flag at the end without its value says what it takes") {
  CHECK(message({}, {"--trace"}) ==
        "error B15: the flag --trace needs a value\n"
        "  allowed     a path\n"
        "  try         --trace FILE");
  CHECK(message({}, {"--seed", "1", "--log"}) ==
        "error B15: the flag --log needs a value\n"
        "  allowed     off, error, warn, info or debug\n"
        "  try         --log warn");
}

TEST_CASE("arguments of the program are kept in their order, and all after -- are the program's") {
  const std::vector<std::string> arguments{"in.png", "--size", "3", "--workers", "2", "-v", "--", "--workers", "9"};
  const auto parsed = parse_options({}, arguments, foreign_arguments::keep);
  CHECK(parsed.values.workers == 2);
  CHECK(parsed.rest == std::vector<std::string>{"in.png", "--size", "3", "-v", "--", "--workers", "9"});
}

TEST_CASE("every row has a default within its range, a help sentence and a name of its own") {
  std::set<std::string> names;
  for (const auto& row : option_table()) {
    CAPTURE(row.name);
    CHECK(spelt(row, settings()) == row.by_default);
    CHECK_FALSE(row.help.empty());
    CHECK_FALSE(row.help.ends_with("."));
    CHECK(names.insert(flag_of(row)).second);
    CHECK(names.insert(variable_of(row)).second);
  }
}

TEST_CASE("any text whatever is either a value of the option or an error of ours") {
  CHECK(rc::check([](std::string text) {
    for (const auto& row : option_table()) {
      if (text.find('\0') != std::string::npos) continue;
      try {
        with({{variable_of(row), text}});
      } catch (const stretto::error& e) {
        RC_ASSERT(e.code()[0] == 'B');
      }
    }
  }));
}

TEST_CASE("a value that was accepted is accepted again as it is spelt back, with the same meaning") {
  CHECK(rc::check([](std::uint64_t number) {
    for (const auto& row : option_table()) {
      std::optional<settings> first;
      try {
        first = with({{variable_of(row), std::to_string(number)}});
      } catch (const stretto::error&) {
        continue;
      }
      RC_ASSERT(with({{variable_of(row), spelt(row, *first)}}) == *first);
    }
  }));
}

TEST_CASE("the page of options is the one that the table writes") {
  std::ifstream file(STRETTO_SOURCE_DIR "/docs/guide/options.md");
  std::stringstream page;
  page << file.rdbuf();
  CHECK_MESSAGE(page.str() == options_page(), "rewrite it: ./stretto options --markdown > docs/guide/options.md");
}
