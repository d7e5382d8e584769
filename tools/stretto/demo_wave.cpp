// demo_wave.cpp - stretto demo wave: turns the arguments into a request to the demonstration.
#include <charconv>
#include <string>

#include "demo/wave/demonstration.hpp"
#include "stretto/arguments.hpp"
#include "stretto/demos.hpp"
#include "stretto/self_launch.hpp"
#include "stretto/wave_request.hpp"

namespace stretto::tools {

int demo_wave(const invocation& call) {
  arguments words(call);
  bool json = false;
  std::string nodes;
  wave::options asked;
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

  wave::demonstration_request request = wave_request(call.options.values, asked);
  request.form = json ? wave::report_form::json : wave::report_form::text;
  if (nodes.empty()) return wave::demonstrate(request);
  std::from_chars(nodes.data(), nodes.data() + nodes.size(),
                  request.nodes);  // a value that is no number is reported below
  wave::check(request);
  return run_on_nodes(nodes, call, words.given_but("nodes"));
}

}  // namespace stretto::tools
