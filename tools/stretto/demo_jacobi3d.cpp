// demo_jacobi3d.cpp - stretto demo jacobi3d: a relaxation whose parts are mobile objects, on any number of nodes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include "demo/jacobi3d/run.hpp"
#include "stretto/arguments.hpp"
#include "stretto/demos.hpp"
#include "stretto/self_launch.hpp"

namespace stretto::tools {
namespace {

void print_json(const jacobi3d::report& r) {
  auto runs = nlohmann::ordered_json::array();
  for (const auto& m : r.runs)
    runs.push_back({{"factor", r.cuboids_per_worker(m)},
                    {"cuboids", m.cuboids},
                    {"seconds", m.seconds},
                    {"million_cells_per_second", r.million_cells_per_second(m)},
                    {"ratio_per_worker", r.ratio_per_worker(m)},
                    {"last_change", m.last_change},
                    {"from_step", m.from},
                    {"checkpoints", m.saved}});
  const nlohmann::ordered_json all{{"size", r.what.size},
                                   {"steps", r.what.iterations},
                                   {"nodes", r.nodes},
                                   {"workers", r.workers},
                                   {"on_devices", r.where == jacobi3d::cells_on::devices},
                                   {"serial_seconds", r.serial_seconds},
                                   {"serial_million_cells_per_second", r.serial_million_cells_per_second()},
                                   {"runs", runs}};
  fmt::print("{}\n", all.dump(2));
}

}  // namespace

int demo_jacobi3d(const invocation& call) {
  arguments words(call);
  bool json = false;
  std::string nodes, size = "96", factors = "1,2,4";
  jacobi3d::request wanted;
  words
      .add_option("-n,--nodes", nodes,
                  "start that many nodes; else this process alone, or the job that it is started in")
      ->type_name("NODES");
  words.add_option("--size", size, "cells along each axis, or of each: 128x96x64")->type_name("CELLS");
  words.add_option("--steps", wanted.what.iterations, "how often each cell is computed")
      ->check(CLI::Range(1u, 1'000'000u));
  auto* const cut =
      words.add_option("--overdecompose", factors, "cuboids per worker; a run for each number of the list");
  cut->type_name("FACTORS");
  auto* const save =
      words.add_option("--checkpoint", wanted.checkpoint, "saved there while work goes on")->type_name("FOLDER");
  words.add_option("--every", wanted.every, "steps between checkpoints; else 10")
      ->check(CLI::Range(1u, 1'000'000u).description(""))
      ->needs(save)
      ->type_name("STEPS");
  words.add_option("--restore", wanted.restore, "goes on from the checkpoint there, on any number of nodes")
      ->excludes(cut)
      ->type_name("FOLDER");
  words.add_json(json);
  if (!words.read()) return 0;
  if (!cut->count() && !wanted.checkpoint.empty()) factors = "2";
  wanted.what.size = jacobi3d::read_size(size);
  wanted.factors = jacobi3d::read_factors(factors);
  if (!wanted.checkpoint.empty() && wanted.factors.size() > 1)
    throw error("W33",
                fmt::format("a checkpoint belongs to one run, but --overdecompose asks for {}", wanted.factors.size()))
        .remedy("name one factor, for example --overdecompose 2");
  if (!nodes.empty()) return run_on_nodes(nodes, call, words.given_but("nodes"));

  const base::settings& told = call.options.values;
  wanted.where = told.devices == "none" ? jacobi3d::cells_on::host : jacobi3d::cells_on::devices;
  runtime rt({.workers = static_cast<std::uint32_t>(told.workers),
              .stack_bytes = told.stack_size,
              .seed = told.seed,
              .devices = told.devices});
  rt.run([&] {
    if (this_node() != 0) return;
    const jacobi3d::report report = jacobi3d::run(wanted, rt.workers());
    if (json) print_json(report);
    else fmt::print("{}", jacobi3d::to_text(report));
  });
  return 0;
}

}  // namespace stretto::tools
