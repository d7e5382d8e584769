// demo_wave.cpp - stretto demo wave: turns the arguments into a request to the demonstration.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "demo/wave/demonstration.hpp"
#include "stretto/arguments.hpp"
#include "stretto/demos.hpp"
#include "stretto/self_launch.hpp"
#include "stretto/terminal.hpp"

namespace stretto::tools {
namespace {

/// The failure that a test requests with STRETTO_TEST_FAIL_TILE=TILE:STEP.
std::optional<wave::planned_failure> failure_asked_for() {
  const char* text = std::getenv("STRETTO_TEST_FAIL_TILE");
  if (!text) return std::nullopt;
  const std::string_view all = text;
  wave::planned_failure failure;
  const auto colon = std::min(all.find(':'), all.size());
  std::from_chars(text, text + colon, failure.tile);
  std::from_chars(text + std::min(colon + 1, all.size()), text + all.size(), failure.step);
  return failure;
}

}  // namespace

int demo_wave(const invocation& call) {
  arguments words(call);
  wave::demonstration_request request;
  bool json = false;
  std::string nodes;
  auto& asked = request.asked;
  words
      .add_option("-n,--nodes", nodes,
                  "start that many nodes; else this process alone, or the job that it is started in")
      ->type_name("NODES");
  words.add_option("--size", asked.size, "the field in cells; else one for each pixel of the medium")->type_name("WxH");
  words.add_option("--steps", asked.steps, "time steps; else enough to cross most of the field")->type_name("N");
  words.add_option("--tiles", asked.tiles, "how the field is cut; else to suit the workers")->type_name("AxD");
  words.add_option("--medium", asked.medium, "PNG or PGM picture of the ground; else the shipped one")
      ->type_name("FILE");
  words.add_option("--velocity", asked.velocity, "of the picture's black and white, in m/s; else 1500:4500")
      ->type_name("MIN:MAX");
  words.add_option("--out", asked.out, "where the pictures go; else out")->type_name("FOLDER");
  words.add_option("--sources", asked.sources, "a count, or places: X,Y:X,Y:... from 0,0 to 1,1")->type_name("S");
  words.add_option("--animate", asked.animate, "also an animated picture of N frames")->type_name("N");
  words.add_json(json);
  if (!words.read()) return 0;

  const base::settings& now = call.options.values;
  if (now.workers) {
    asked.workers = std::to_string(now.workers);
    request.runtime.workers = std::uint32_t(now.workers);
  }
  request.runtime.stack_bytes = now.stack_size;
  request.runtime.seed = now.seed;
  request.runtime.devices = now.devices;
  // The timeline goes to the folder of the pictures, unless --trace says otherwise.
  if (!now.trace.empty()) request.runtime.trace = now.trace;
  else if (now.trace_level != base::trace_detail::off) request.runtime.trace = (asked.out / "trace.json").string();
  request.platform_file = now.platform;
  request.form = json ? wave::report_form::json : wave::report_form::text;
  request.style = may_colour(now.color, stdout) ? wave::text_style::coloured : wave::text_style::plain;
  request.progress = progress_as(now, "steps");
  request.failure = failure_asked_for();
  if (nodes.empty()) return wave::demonstrate(request);
  std::from_chars(nodes.data(), nodes.data() + nodes.size(),
                  request.nodes);  // a value that is no number is reported below
  wave::check(request);
  return run_on_nodes(nodes, call, words.given_but("nodes"));
}

}  // namespace stretto::tools
