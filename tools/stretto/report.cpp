// report.cpp - stretto report FILE: what a recorded run tells.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/analysis.hpp"
#include "report/reader.hpp"
#include "stretto/arguments.hpp"

namespace stretto::tools {

int run_report(const invocation& call) {
  arguments words(call);
  bool json = false;
  std::string file;
  words.add_option("FILE", file, "the timeline that STRETTO_TRACE=FILE wrote")->required();
  words.add_json(json);
  if (!words.read()) return 0;

  const report::run run = report::read_run(std::filesystem::path(file));
  const report::analysis found = report::analyse(run);
  if (json) fmt::print("{}\n", report::to_json(run, found).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else fmt::print("{}", report::to_text(run, found));
  return 0;
}

}  // namespace stretto::tools
