#include "platform/drawing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <stretto/platform.hpp>

#include "platform/error_message.hpp"
#include "platform/graphviz.hpp"

using namespace stretto;
using stretto::test::message_of;

namespace {

platform small() {
  return platform::parse(R"json({"nworkers": 3,
    "declarations": [{"name": "sysmem", "capacity_bytes": 17179869184, "bandwidth_bytes_per_second": 1.2e10}, "L3_0",
                     {"name": "core_0", "cpus": "0,4"}, {"name": "core_1", "cpus": "1"}, "GPU0"],
    "reachability": [["sysmem", "L3_0"], {"between": ["core_0", "L3_0"], "bandwidth_bytes_per_second": 4e10, "latency_seconds": 1.5e-8},
                     ["core_1", "L3_0"], ["GPU0", "sysmem"], ["GPU0", "L3_0"]]})json");
}

}  // namespace

TEST_CASE("the text tree has memory at the root, cores as leaves and other links below") {
  CHECK(small().to_tree() ==
        "sysmem        system_memory, 16 GiB, copies 12 GB/s\n"
        "├─ L3_0       l3\n"
        "│  ├─ core_0  core, cpus 0 4; workers 0 2\n"
        "│  └─ core_1  core, cpu 1; worker 1\n"
        "└─ GPU0       gpu\n"
        "core_0 - L3_0  40 GB/s, 15 ns\n"
        "GPU0 - L3_0\n");
}

TEST_CASE("a chain of many places is drawn without end of the stack or of the line") {
  platform_description is;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    is.places.emplace_back().name = "p" + std::to_string(i);
    if (i) is.links.push_back({{i - 1}, {i}, {}, {}});
  }
  is.pop_paths = {{{0}}};
  is.steal_paths = {{}};
  const auto text = platform::build(is).to_tree();
  CHECK(std::count(text.begin(), text.end(), '\n') == 20000);
  CHECK(text.size() < 20'000'000);
}

TEST_CASE("the Graphviz text names every place and link, and quotes what needs it") {
  const auto dot = small().to_dot();
  CHECK(dot.starts_with("graph platform {\n"));
  CHECK(dot.find("p1 [label=\"L3_0\\nl3\", fillcolor=\"#f4efcf\"];") != std::string::npos);
  CHECK(dot.find("p1 -- p2 [label=\"40 GB/s, 15 ns\"];") != std::string::npos);
  CHECK(dot.find("p4 -- p0;") != std::string::npos);
  platform_description is;
  is.places.emplace_back().name = "a \"b\" \\n";
  is.pop_paths = {{{0}}};
  is.steal_paths = {{}};
  CHECK(platform::build(is).to_dot().find("label=\"a \\\"b\\\" \\\\n\\nother; worker 0\"") != std::string::npos);
}

TEST_CASE("without Graphviz the error says how to get it") {
  CHECK(message_of([] { places::svg_of("graph {}", "no-such-program"); }) ==
        "error P14: the picture cannot be drawn\n"
        "  because     the program \"no-such-program\" of Graphviz is not installed\n"
        "  try         apt-get install graphviz, or write the graph as text");
  CHECK(message_of([] { places::svg_of("graph {}", "false"); }) ==
        "error P14: the picture cannot be drawn\n"
        "  because     false failed and gave no reason");
}

TEST_CASE("with Graphviz the picture is SVG") {
  if (std::system("command -v dot >/dev/null 2>&1") != 0) return;
  const auto svg = small().to_svg();
  CHECK(svg.starts_with("<?xml"));
  CHECK(svg.find(">core_1<") != std::string::npos);
  CHECK(message_of([] {
          places::svg_of("graph {");
        }).starts_with("error P14: the picture cannot be drawn\n  because     dot said: "));
}
