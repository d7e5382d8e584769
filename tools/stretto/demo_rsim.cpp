// demo_rsim.cpp - stretto demo rsim: a flash of light in a room, in which each step reads what all patches have radiated before.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include "demo/on_buffers/room_light.hpp"
#include "demo/wave/output.hpp"
#include "stretto/arguments.hpp"
#include "stretto/demos.hpp"
#include "stretto/on_nodes.hpp"

namespace stretto::tools {

int demo_rsim(const invocation& call) {
  arguments words(call);
  bool json = false;
  std::string nodes;
  int side = 12;
  on_buffers::light light;
  std::filesystem::path out = "out";
  words.add_option("-n,--nodes", nodes, "start that many nodes; else this process alone, or the job that it is started in")->type_name("NODES");
  words.add_option("--side", side, "squares along the width of the room; else 12")->check(CLI::Range(2, 40).description(""))->type_name("N");
  words.add_option("--steps", light.steps, "of time; else 96")->check(CLI::Range(16, 10'000).description(""))->type_name("N");
  words.add_option("--out", out, "where the pictures go; else out")->type_name("FOLDER");
  words.add_json(json);
  if (!words.read()) return 0;
  wave::prepare_output(out);
  if (!nodes.empty()) return run_on_nodes(nodes, call, words.given_but("nodes"));

  bool is_so = true;
  const base::settings& told = call.options.values;
  runtime rt({.workers = static_cast<std::uint32_t>(told.workers), .stack_bytes = told.stack_size, .seed = told.seed, .devices = told.devices});
  rt.run([&] {
    const on_buffers::room room = on_buffers::make_room(side);
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<float> radiated = on_buffers::light_on_nodes(room, light);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (this_node() != 0) return;
    const float differs = on_buffers::largest_difference(radiated, on_buffers::light_serially(room, light));
    is_so = differs < 1e-6f;
    const int pixels = std::max(2, 60 / side);
    const std::filesystem::path sheet = out / "rsim.png", moving = out / "rsim_moving.png";
    wave::write_file(sheet, wave::encode_png(on_buffers::sheet_of(room, light, radiated, pixels)));
    wave::write_file(moving, on_buffers::moving_picture_of(room, light, radiated, 2 * pixels));
    if (json) {
      const nlohmann::ordered_json all{{"patches", room.patches}, {"steps", light.steps}, {"nodes", job_nodes()},
                                       {"largest_difference", differs}, {"seconds", seconds}};
      fmt::print("{}\n", all.dump(2));
      return;
    }
    fmt::print("A flash in a room of {} patches, {} steps, on {} node{}: {:.3f} s\n", room.patches, light.steps, job_nodes(),
               job_nodes() == 1 ? "" : "s", seconds);
    fmt::print("{} a serial run, to {:.2g} of the flash\n  {}\n  {}\n", is_so ? "as" : "NOT as", differs, sheet.string(), moving.string());
  });
  return is_so ? 0 : 1;
}

}  // namespace stretto::tools
