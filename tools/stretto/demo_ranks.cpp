// demo_ranks.cpp - stretto demo ranks: an MPI program in C, compiled by `stretto cc`, whose ranks are tasks of one
// process.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cc/compiler_command.hpp"
#include "demo/stopwatch.hpp"
#include "demo/wave/output_folder.hpp"
#include "demo/wave/png_writer.hpp"
#include "stretto/arguments.hpp"
#include "stretto/demos.hpp"
#include "stretto/ranks_program.hpp"

namespace stretto::tools {
namespace {

namespace fs = std::filesystem;

struct heated_plate {
  int ranks = 16, side = 480, steps = 2000;
  fs::path folder = "out";
  bool is_json = false;

  fs::path program() const { return fs::absolute(folder / "heat"); }
  fs::path drawn() const { return folder / "heat.ppm"; }    // by the program
  fs::path picture() const { return folder / "heat.png"; }  // the same, smaller
};

bool read_options(const invocation& call, heated_plate& plate) {
  arguments parser(call);
  const auto number = [&](const std::string& flag, int& value, const std::string& text, CLI::Range range) {
    parser.add_option(flag, value, fmt::format("{}; else {}", text, value))
        ->check(range.description(""))
        ->type_name("N");
  };
  number("--ranks", plate.ranks, "ranks of the program", {1, 4096});
  number("--side", plate.side, "cells along each side of the plate", {64, 10'000});
  number("--steps", plate.steps, "time steps", {1, 1'000'000});
  parser.add_option("--out", plate.folder, "where the program and its picture go; else out")->type_name("FOLDER");
  parser.add_json(plate.is_json);
  return parser.read();
}

}  // namespace

int demo_ranks(const invocation& call) {
  heated_plate plate;
  if (!read_options(call, plate)) return 0;
  wave::prepare_output(plate.folder);
  const std::vector<std::string> to_compile{"-O2", program_source("mpi/heat.c").string(), "-o",
                                            plate.program().string(), "-lm"};
  const std::vector<std::string> to_run{plate.program().string(), std::to_string(plate.side),
                                        std::to_string(plate.steps), plate.drawn().string()};
  const auto variables = program_variables(plate.ranks, call.options);
  if (!plate.is_json)
    fmt::print("stretto cc {}\n{} {}\n", fmt::join(to_compile, " "), fmt::join(variables, " "), fmt::join(to_run, " "));
  std::fflush(stdout);
  if (cc::compile(cc::language::c, to_compile) != 0) return 1;

  const stopwatch clock;
  const program_end end = run_program_of_ranks(to_run, variables);
  const double seconds = clock.seconds();
  if (!plate.is_json) fmt::print("{}", end.output);
  if (!end.has_succeeded) return 1;
  wave::write_file(plate.picture(), wave::encode_png(read_netpbm(plate.drawn())));
  if (plate.is_json) {
    const nlohmann::ordered_json all{{"ranks", plate.ranks},
                                     {"side", plate.side},
                                     {"steps", plate.steps},
                                     {"as_serial", true},
                                     {"seconds", seconds}};
    fmt::print("{}\n", all.dump(2));
  } else {
    fmt::print("  {}\n", plate.picture().string());
  }
  return 0;
}

}  // namespace stretto::tools
