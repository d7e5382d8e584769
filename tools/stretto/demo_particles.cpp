// demo_particles.cpp - stretto demo particles: a load that moves, with balancers that follow it and without, on any
// number of nodes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>
#include <string>
#include <thread>
#include <vector>

#include "demo/particles/run.hpp"
#include "demo/wave/output_folder.hpp"
#include "job/launcher_discovery.hpp"
#include "net/mpi/mpi_library.hpp"
#include "stretto/arguments.hpp"
#include "stretto/demos.hpp"
#include "stretto/self_launch.hpp"

namespace stretto::tools {
namespace {

void print_json(const particles::report& r) {
  auto runs = nlohmann::ordered_json::array();
  for (const auto& m : r.runs) {
    const auto time = particles::summary_of(m.loads.of_time, r.warm_up()),
               pairs = particles::summary_of(m.loads.of_pairs, r.warm_up());
    runs.push_back(
        {{"balancer", m.balancer},
         {"seconds", m.seconds},
         {"gain", r.gain(m)},
         {"imbalance_of_time", {{"mean", time.mean}, {"largest", time.most}, {"steps", m.loads.of_time}}},
         {"imbalance_of_pairs", {{"mean", pairs.mean}, {"largest", pairs.most}, {"steps", m.loads.of_pairs}}},
         {"from_step", m.from},
         {"rounds", m.rounds},
         {"moves", m.moves}});
  }
  const nlohmann::ordered_json all{{"particles", r.what.count},
                                   {"steps", r.what.steps},
                                   {"patches", {r.patches.x, r.patches.y}},
                                   {"every", r.each},
                                   {"nodes", r.nodes},
                                   {"workers", r.workers},
                                   {"serial_seconds", r.serial_seconds},
                                   {"energy_change", r.energy_change},
                                   {"runs", runs}};
  fmt::print("{}\n", all.dump(2));
}

void write_picture(const particles::report& r, const std::filesystem::path& folder) {
  const std::string text = particles::to_svg(r);
  stretto::wave::write_file(folder / "particles.svg", std::as_bytes(std::span(text)));
}

/// Help says what a number is for, not where it ends.
CLI::Validator between(std::uint32_t least, std::uint32_t most) { return CLI::Range(least, most).description(""); }

bool has_mpi(const base::settings& told) {
  const char* const path = std::getenv("PATH");
  return std::ranges::any_of(job::find_mpis(path ? path : "", told.mpi_folder), &job::mpi_found::is_usable);
}

/// `program` on simulated nodes in this process, each with threads of its own.
void on_simulated_nodes(std::uint32_t nodes, const runtime_options& options,
                        const std::function<void(runtime&)>& program) {
  const simulated_job job({.nodes = nodes});
  std::vector<std::exception_ptr> failures(nodes);
  std::vector<std::thread> all;
  for (std::uint32_t n = 0; n < nodes; ++n)
    all.emplace_back([&, n] {
      try {
        runtime_options its = options;
        its.job = job.endpoint(n);
        runtime rt(its);
        rt.run([&] { program(rt); });
      } catch (...) {
        failures[n] = std::current_exception();
      }
    });
  for (auto& t : all) t.join();
  for (const auto& f : failures)
    if (f) std::rethrow_exception(f);
}

}  // namespace

int demo_particles(const invocation& call) {
  arguments words(call);
  bool json = false;
  std::string nodes, patches, balancers = "none,refine,hints";
  std::filesystem::path out = "out";
  std::uint32_t simulated = 0, factor = 128;
  particles::request wanted;
  words.add_option("-n,--nodes", nodes, "start that many nodes; else this is in a job, or starts 2")
      ->type_name("NODES");
  words.add_option("--simulated", simulated, "instead, as many nodes in this process; 2 where there is no MPI")
      ->check(between(1u, 64u))
      ->type_name("NODES");
  words.add_option("--particles", wanted.what.count, "how many; else 40000")
      ->check(between(1'000u, 10'000'000u))
      ->type_name("N");
  words.add_option("--steps", wanted.what.steps, "how often each is moved; else 150")
      ->check(between(1u, 1'000'000u))
      ->type_name("N");
  auto* const cut =
      words.add_option("--patches", patches, "how the box is cut; else to suit the workers")->type_name("AxB");
  words.add_option("--overdecompose", factor, "patches for each worker, about; else 128")
      ->check(between(1u, 4096u))
      ->excludes(cut)
      ->type_name("FACTOR");
  auto* const by =
      words.add_option("--balancer", balancers,
                       "some of none,greedy,refine,diffusion,stealing,hints: a run for each; else none,refine,hints");
  by->type_name("NAMES");
  words.add_option("--every", wanted.each, "steps between rounds of balancing; else 5")
      ->check(between(1u, 1'000'000u))
      ->type_name("STEPS");
  words.add_option("--checkpoint", wanted.checkpoint, "saved there before each round, and gone on from if it is there")
      ->type_name("FOLDER");
  words.add_option("--out", out, "where the picture goes; else out")->type_name("FOLDER");
  words.add_json(json);
  if (!words.read()) return 0;
  if (!by->count() && !wanted.checkpoint.empty()) balancers = "hints";
  wanted.balancers = particles::read_balancers(balancers);
  if (!wanted.checkpoint.empty() && wanted.balancers.size() > 1)
    throw error("W36",
                "a checkpoint belongs to one run, but --balancer asks for " + std::to_string(wanted.balancers.size()))
        .remedy("name one balancer, for example --balancer hints");
  if (!patches.empty()) wanted.patches = particles::read_cut(patches);
  const base::settings& told = call.options.values;
  if (told.seed) wanted.what.seed = told.seed;
  wave::prepare_output(out);
  if (!nodes.empty()) return run_on_nodes(nodes, call, words.given_but("nodes"));

  const bool is_in_job = !net::mpi::detect_launch_environment().launcher.empty();
  if (!simulated && !is_in_job && has_mpi(told)) return run_on_nodes("2", call, words.given_but("nodes"));

  const auto program = [&](runtime& rt) {
    if (this_node() != 0) return;
    if (patches.empty()) wanted.patches = particles::cut_for(wanted.what, factor, job_nodes() * rt.workers());
    const particles::report report = run(wanted, rt.workers());
    write_picture(report, out);
    if (json) print_json(report);
    else fmt::print("{}\n  {}\n", to_text(report), (out / "particles.svg").string());
  };
  runtime_options options{
      .workers = static_cast<std::uint32_t>(told.workers), .stack_bytes = told.stack_size, .seed = told.seed};
  if (is_in_job && !simulated) {
    runtime rt(options);
    rt.run([&] { program(rt); });
  } else {
    if (!told.workers) options.workers = 1;
    on_simulated_nodes(simulated ? simulated : 2, options, program);
  }
  return 0;
}

}  // namespace stretto::tools
