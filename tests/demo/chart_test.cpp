// Pictures of lines: what is in them, and where points lie.
#include "chart/chart.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace stretto::tools;

namespace {

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("a chart has its words, a line for each name in each panel, and only numbers") {
  const chart c{.title = "a title",
                .across = "step",
                .names = {"one", "two"},
                .panels = {{"up", {{1, 2, 1.5}, {1, 1, 1}}}, {"down", {{}, {3}}}},
                .mark = 1.1};
  const std::string drawn = to_svg(c);
  for (const char* word :
       {">a title<", ">step<", ">one<", ">two<", ">up<", ">down<", "prefers-color-scheme: dark", "class=\"mark\""})
    CHECK(drawn.find(word) != std::string::npos);
  CHECK(count_of("<polyline", drawn) == 4);
  CHECK(drawn.find("nan") == std::string::npos);
  CHECK(drawn.find("inf") == std::string::npos);
  CHECK(to_svg(chart()).find("</svg>") != std::string::npos);
}

TEST_CASE("on axes divided by powers of 2, what doubles is a straight line from corner to corner") {
  const chart c{.title = "t",
                .across = "nodes",
                .names = {"speed-up"},
                .panels = {{"up", {{1, 2, 4, 8, 16}}, true}},
                .at = {1, 2, 4, 8, 16},
                .doubles = true};
  const std::string drawn = to_svg(c);
  CHECK(drawn.find("points=\"64.0,284.0 254.5,231.5 445.0,179.0 635.5,126.5 826.0,74.0\"") != std::string::npos);
  for (const char* mark : {">1<", ">2<", ">4<", ">8<", ">16<"}) CHECK(count_of(mark, drawn) == 2);
}

TEST_CASE("one point, or the same value twice, still makes an axis") {
  for (const chart& c :
       {chart{.title = "", .across = "", .names = {"a"}, .panels = {{"p", {{3}}, true}}, .at = {4}, .doubles = true},
        chart{.title = "",
              .across = "",
              .names = {"a"},
              .panels = {{"p", {{5, 5}}, true}},
              .at = {1, 1},
              .doubles = true}}) {
    CHECK(to_svg(c).find("nan") == std::string::npos);
    CHECK(to_svg(c).find("inf") == std::string::npos);
  }
}
