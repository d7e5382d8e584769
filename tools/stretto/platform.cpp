// platform.cpp - stretto platform: the graph of places, of this machine, of a file or of a made-up machine.
#include <fmt/format.h>

#include <stretto/error.hpp>
#include <stretto/platform.hpp>

#include "stretto/arguments.hpp"
#include "stretto/terminal.hpp"
#include "stretto/text_file.hpp"

namespace stretto::tools {
namespace {

struct platform_request {
  std::string file, synthetic;       // where the graph comes from; both empty: the machine
  std::string validate, write, svg;  // files
  bool measure = false, json = false;
};

std::string counted(std::size_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

std::string size_of(const platform& machine) {
  return fmt::format("{}, {}, {}", counted(machine.worker_count(), "worker"), counted(machine.place_count(), "place"),
                     counted(machine.links().size(), "link"));
}

platform platform_of(const platform_request& wanted, const base::settings& now) {
  const auto workers = static_cast<std::uint32_t>(now.workers);
  if (!wanted.synthetic.empty()) return platform::synthetic(wanted.synthetic, workers);
  const auto& file = wanted.file.empty() ? now.platform : wanted.file;
  if (file.empty()) return platform::discover(workers);
  const auto machine = platform::read(file);
  return workers ? machine.with_workers(workers) : machine;
}

}  // namespace

int run_platform(const invocation& call) {
  arguments words(call);
  platform_request wanted;
  words.add_option("--file", wanted.file, "a platform file, in place of this machine")->type_name("FILE");
  words.add_option("--synthetic", wanted.synthetic, "a machine that is not here, such as \"pack:2 l3:1 core:8 pu:2\"")
      ->type_name("TEXT")
      ->excludes("--file");
  words.add_flag("--measure", wanted.measure, "also measure bandwidths and latencies of this machine");
  words.add_option("--write", wanted.write, "save the graph as a platform file")->type_name("FILE");
  words.add_option("--svg", wanted.svg, "draw the graph, with Graphviz")->type_name("FILE");
  words.add_option("--validate", wanted.validate, "only check a platform file; exit code 1 says that it has a fault")
      ->type_name("FILE")
      ->excludes("--file")
      ->excludes("--synthetic")
      ->excludes("--measure");
  words.add_json(wanted.json);
  if (!words.read()) return 0;

  if (!wanted.validate.empty()) {
    const auto machine = platform::read(wanted.validate);
    print_text("{} is valid: {}\n", wanted.validate, size_of(machine));
    return 0;
  }
  auto machine = platform_of(wanted, call.options.values);
  if (wanted.measure) machine = machine.measured();
  if (!wanted.write.empty()) write_text_file(wanted.write, machine.to_json());
  if (!wanted.svg.empty()) write_text_file(wanted.svg, machine.to_svg());

  if (wanted.json) {
    print_text("{}", machine.to_json());
    return 0;
  }
  for (const auto* file : {&wanted.write, &wanted.svg})
    if (!file->empty()) print_text("{} holds {}\n", *file, size_of(machine));
  if (wanted.write.empty() && wanted.svg.empty()) print_text("{}", machine.to_tree());
  return 0;
}

}  // namespace stretto::tools
