// demo_ranks.cpp - stretto demo ranks: an MPI program in C, compiled by `stretto cc`, whose ranks are tasks of one
// process.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stretto/error.hpp>
#include <system_error>

#include "base/child_process.hpp"
#include "base/whole_file.hpp"
#include "cc/compiler_command.hpp"
#include "demo/stopwatch.hpp"
#include "demo/wave/output_folder.hpp"
#include "demo/wave/png_writer.hpp"
#include "demo/wave/shipped_medium.hpp"
#include "stretto/arguments.hpp"
#include "stretto/demos.hpp"

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

/// The source of the program: an installed command finds it beside itself, a built one in the source tree.
fs::path source_file() {
  const auto installed = wave::running_program().parent_path().parent_path() / "share/stretto/mpi/heat.c";
  const auto in_source = fs::path(STRETTO_SOURCE_PROGRAMS) / "heat.c";
  std::error_code failure;
  return !fs::exists(installed, failure) && fs::exists(in_source, failure) ? in_source : installed;
}

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

/// The flags of the runtime that were given apply to the program's runtime.
std::vector<std::string> variables_for(const heated_plate& plate, const base::parsed_options& options) {
  std::vector<std::string> variables{fmt::format("STRETTO_RANKS={}", plate.ranks)};
  for (std::size_t i = 0; i < options.origin.size(); ++i) {
    const base::option& row = base::option_table()[i];
    if (options.origin[i] == "flag")
      variables.push_back(base::variable_of(row) + "=" + base::spelt(row, options.values));
  }
  return variables;
}

int take_number(std::string_view& text) {
  int value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  text.remove_prefix(std::min<std::size_t>(text.size(), end - text.data() + 1));
  return value;
}

/// The picture that the program has drawn (Netpbm, P6, three bytes a pixel).
wave::rgb_image read_picture(const fs::path& file) {
  const base::file_content content = base::read_whole(file, std::uint64_t{1} << 30);
  std::string_view text = content.text;
  wave::rgb_image image;
  if (text.starts_with("P6\n")) {
    text.remove_prefix(3);
    image.size.columns = take_number(text), image.size.rows = take_number(text);
    take_number(text);  // 255
  }
  if (image.size.cells() <= 0 || std::ssize(text) != 3 * image.size.cells())
    throw error("W21", fmt::format("{} is not the picture of a plate", file.string())).because(content.fault);
  for (std::size_t i = 0; i < text.size(); i += 3)
    image.pixels.push_back({std::uint8_t(text[i]), std::uint8_t(text[i + 1]), std::uint8_t(text[i + 2])});
  return image;
}

}  // namespace

int demo_ranks(const invocation& call) {
  heated_plate plate;
  if (!read_options(call, plate)) return 0;
  wave::prepare_output(plate.folder);
  const std::vector<std::string> to_compile{"-O2", source_file().string(), "-o", plate.program().string(), "-lm"};
  const std::vector<std::string> to_run{plate.program().string(), std::to_string(plate.side),
                                        std::to_string(plate.steps), plate.drawn().string()};
  const auto variables = variables_for(plate, call.options);
  if (!plate.is_json)
    fmt::print("stretto cc {}\n{} {}\n", fmt::join(to_compile, " "), fmt::join(variables, " "), fmt::join(to_run, " "));
  std::fflush(stdout);
  if (cc::compile(cc::language::c, to_compile) != 0) return 1;

  const stopwatch clock;
  const auto end = base::run_child({to_run, variables, std::chrono::hours(24)});
  const double seconds = clock.seconds();
  if (!plate.is_json) fmt::print("{}", end.output);
  fmt::print(stderr, "{}", end.errors);
  if (!end.has_succeeded()) return 1;
  wave::write_file(plate.picture(), wave::encode_png(read_picture(plate.drawn())));
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
