// demo_life.cpp - stretto demo life: two guns whose gliders meet, on a board that is distributed over all nodes.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include "demo/on_buffers/life.hpp"
#include "demo/wave/output.hpp"
#include "stretto/arguments.hpp"
#include "stretto/demos.hpp"
#include "stretto/on_nodes.hpp"

namespace stretto::tools {

int demo_life(const invocation& call) {
  arguments words(call);
  bool json = false;
  std::string nodes;
  int rows = 160, columns = 240, steps = 420;
  std::filesystem::path out = "out";
  words.add_option("-n,--nodes", nodes, "start that many nodes; else this process alone, or the job that it is started in")->type_name("NODES");
  words.add_option("--rows", rows, "of the board; else 160")->check(CLI::Range(60, 10'000).description(""))->type_name("N");
  words.add_option("--columns", columns, "of the board; else 240")->check(CLI::Range(90, 10'000).description(""))->type_name("N");
  words.add_option("--steps", steps, "generations; else 420")->check(CLI::Range(1, 1'000'000).description(""))->type_name("N");
  words.add_option("--out", out, "where the picture goes; else out")->type_name("FOLDER");
  words.add_json(json);
  if (!words.read()) return 0;
  wave::prepare_output(out);
  if (!nodes.empty()) return run_on_nodes(nodes, call, words.given_but("nodes"));

  bool is_so = true;
  const base::settings& told = call.options.values;
  runtime rt({.workers = static_cast<std::uint32_t>(told.workers), .stack_bytes = told.stack_size, .seed = told.seed, .devices = told.devices});
  rt.run([&] {
    const on_buffers::life_board first = on_buffers::first_board(rows, columns);
    const auto begin = std::chrono::steady_clock::now();
    const on_buffers::life_board last = on_buffers::life_on_nodes(first, steps);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (this_node() != 0) return;
    is_so = last == on_buffers::life_serially(first, steps);
    const std::filesystem::path file = out / "life.png";
    const int side = rows * columns > 100'000 ? 1 : 4;
    wave::write_file(file, wave::encode_png(on_buffers::picture_of(last, side)));
    const auto alive = on_buffers::alive_on(last);
    if (json) {
      const nlohmann::ordered_json all{{"rows", rows}, {"columns", columns}, {"steps", steps}, {"nodes", job_nodes()},
                                       {"alive", alive}, {"as_serial", is_so}, {"seconds", seconds}};
      fmt::print("{}\n", all.dump(2));
      return;
    }
    fmt::print("Life on {} x {} cells, {} steps, on {} node{}: {:.3f} s\n", rows, columns, steps, job_nodes(), job_nodes() == 1 ? "" : "s", seconds);
    fmt::print("{} cells are alive, {} in a serial run\n  {}\n", alive, is_so ? "the same as" : "NOT the same as", file.string());
  });
  return is_so ? 0 : 1;
}

}  // namespace stretto::tools
