// demo_acc.cpp - stretto demo acc: a program with MPI and OpenACC, compiled by `stretto cc`, that orders its kernels
// and messages in three ways.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <stretto/error.hpp>

#include "cc/compiler_command.hpp"
#include "demo/wave/output_folder.hpp"
#include "demo/wave/png_writer.hpp"
#include "report/activity_picture.hpp"
#include "report/timeline_reader.hpp"
#include "stretto/arguments.hpp"
#include "stretto/demos.hpp"
#include "stretto/ranks_program.hpp"

namespace stretto::tools {
namespace {

constexpr const char* forms[] = {"synchronous", "asynchronous", "unified"};
constexpr int shown_steps = 6;  // of the fastest form, in the picture

struct jacobi_run {
  int ranks = 2, side = 160, steps = 1500;
  std::string device;  // empty: as the environment says
  std::filesystem::path folder = "out";
  bool is_json = false;

  std::filesystem::path program() const { return std::filesystem::absolute(folder / "jacobi_forms"); }
  std::filesystem::path drawn() const { return folder / "plate.ppm"; }
  std::filesystem::path plate() const { return folder / "plate.png"; }
  std::filesystem::path timeline() const { return folder / "acc_forms.svg"; }
  std::filesystem::path trace_of(const char* form) const { return folder / fmt::format("{}.json", form); }
};

struct measured_form {
  const char* name;
  double seconds;  // without a trace
  report::region_activity activity;
};

bool read_options_of_jacobi(const invocation& call, jacobi_run& run) {
  arguments parser(call);
  const auto number = [&](const std::string& flag, int& value, const std::string& text, CLI::Range range) {
    parser.add_option(flag, value, fmt::format("{}; else {}", text, value))
        ->check(range.description(""))
        ->type_name("N");
  };
  number("--ranks", run.ranks, "ranks of the program", {1, 64});
  number("--side", run.side, "cells along each side of the plate", {64, 10'000});
  number("--steps", run.steps, "time steps", {10, 100'000});
  parser
      .add_option("--device", run.device,
                  "where kernels run: host, discrete (the host, with memory of its own), or a kind of devices, as "
                  "opencl; else as STRETTO_ACC_DEVICE_TYPE says")
      ->type_name("KIND");
  parser.add_option("--out", run.folder, "where the program, its traces and pictures go; else out")
      ->type_name("FOLDER");
  parser.add_json(run.is_json);
  return parser.read();
}

std::vector<std::string> variables_of(const jacobi_run& run, const base::parsed_options& options) {
  auto variables = program_variables(run.ranks, options);
  if (run.device == "discrete")
    variables.insert(variables.end(), {"STRETTO_ACC_DEVICE_TYPE=host", "STRETTO_ACC_DISCRETE=1"});
  else if (!run.device.empty()) variables.push_back("STRETTO_ACC_DEVICE_TYPE=" + run.device);
  return variables;
}

std::vector<std::string> command_of(const jacobi_run& run, const char* form) {
  return {run.program().string(), form, std::to_string(run.side), std::to_string(run.steps), "times"};
}

/// The seconds that the program has printed for a form.
double seconds_of(const char* form, const std::string& output) {
  const std::string start = fmt::format("{}: ", form);
  const std::size_t at = output.find(start);
  double seconds = 0;
  if (at == std::string::npos || std::sscanf(output.c_str() + at + start.size(), "%lf seconds", &seconds) != 1)
    throw error("W21", fmt::format("the program printed no seconds of the form \"{}\"", form)).because(output);
  return seconds;
}

/// Runs one form with a trace. Nothing if it fails.
bool trace_form(const jacobi_run& run, measured_form& form, std::vector<std::string> variables) {
  variables.insert(variables.end(), {"STRETTO_TRACE=" + run.trace_of(form.name).string(), "STRETTO_TRACE_LEVEL=full"});
  if (!run_program_of_ranks(command_of(run, form.name), std::move(variables)).has_succeeded) return false;
  form.activity = report::region_activity_of(report::read_run(run.trace_of(form.name)));
  return true;
}

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

void draw_timeline(const jacobi_run& run, const std::vector<measured_form>& all) {
  std::vector<report::activity_panel> panels;
  for (const measured_form& one : all)
    panels.push_back({fmt::format("{}: ranks wait {} of the time, a kernel runs {}", one.name,
                                  percent(one.activity.waiting), percent(one.activity.computing)),
                      &one.activity});
  auto time = all.front().activity.end - all.front().activity.begin;
  for (const measured_form& one : all) time = std::min(time, one.activity.end - one.activity.begin);
  const std::string title = fmt::format("Jacobi on {0} x {0} cells, {1} ranks: about {2} steps of the fastest form",
                                        run.side, run.ranks, shown_steps);
  const std::string picture = report::activity_picture(title, panels, time * shown_steps / run.steps);
  wave::write_file(run.timeline(), std::as_bytes(std::span(picture)));
}

void print_table(const std::vector<measured_form>& all) {
  fmt::print("\n{:<14}{:>9}{:>16}{:>17}{:>13}{:>14}\n", "form", "seconds", "of the first", "waits of ranks",
             "ranks wait", "a kernel runs");
  for (const measured_form& one : all)
    fmt::print("{:<14}{:>9.3f}{:>14.2f} x{:>17}{:>13}{:>14}\n", one.name, one.seconds, one.seconds / all[0].seconds,
               one.activity.waits, percent(one.activity.waiting), percent(one.activity.computing));
}

void print_json(const jacobi_run& run, const std::vector<measured_form>& all) {
  nlohmann::ordered_json result{{"ranks", run.ranks}, {"side", run.side}, {"steps", run.steps}, {"same", true}};
  for (const measured_form& one : all)
    result["forms"][one.name] = {{"seconds", one.seconds},
                                 {"waits", one.activity.waits},
                                 {"waiting", one.activity.waiting},
                                 {"computing", one.activity.computing}};
  fmt::print("{}\n", result.dump(2));
}

}  // namespace

int demo_acc(const invocation& call) {
  jacobi_run run;
  if (!read_options_of_jacobi(call, run)) return 0;
  wave::prepare_output(run.folder);
  const std::vector<std::string> to_compile{"-O2", program_source("acc/jacobi_forms.c").string(), "-o",
                                            run.program().string()};
  const auto variables = variables_of(run, call.options);
  auto to_run = command_of(run, "all");
  to_run.push_back(run.drawn().string());
  if (!run.is_json)
    fmt::print("stretto cc {}\n{} {}\n", fmt::join(to_compile, " "), fmt::join(variables, " "), fmt::join(to_run, " "));
  std::fflush(stdout);
  if (cc::compile(cc::language::c, to_compile) != 0) return 1;
  const program_end end = run_program_of_ranks(to_run, variables);
  if (!run.is_json) fmt::print("{}", end.output);
  if (!end.has_succeeded) return 1;

  std::vector<measured_form> all;
  for (const char* const form : forms) {
    all.push_back({form, seconds_of(form, end.output), {}});
    if (!trace_form(run, all.back(), variables)) return 1;
  }
  wave::write_file(run.plate(), wave::encode_png(read_netpbm(run.drawn())));
  draw_timeline(run, all);
  if (run.is_json) return print_json(run, all), 0;
  print_table(all);
  fmt::print("  {}  the plate\n  {}  what ranks and kernels did\n", run.plate().string(), run.timeline().string());
  return 0;
}

}  // namespace stretto::tools
