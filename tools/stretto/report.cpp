// report.cpp - stretto report FILE: the report of a recorded run, as a page, as text and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "report/analysis.hpp"
#include "report/output_file.hpp"
#include "report/page.hpp"
#include "report/run_comparison.hpp"
#include "report/timeline_reader.hpp"
#include "stretto/arguments.hpp"
#include "stretto/terminal.hpp"

namespace stretto::tools {

int run_report(const invocation& call) {
  arguments words(call);
  bool json = false, text_only = false;
  std::string file, beside, out;
  words.add_option("FILE", file, "the timeline that STRETTO_TRACE=FILE wrote")->required();
  words.add_option("--beside", beside, "the timeline of an earlier run, to say what has changed since")
      ->type_name("FILE");
  auto* page = words.add_option("--out", out, "the page to write; else FILE with the ending .html")->type_name("FILE");
  words.add_flag("--text", text_only, "only print the summary, write no page")->excludes(page);
  words.add_json(json);
  if (!words.read()) return 0;

  const report::run run = report::read_run(std::filesystem::path(file));
  const report::analysis found = report::analyse(run);
  std::optional<report::comparison> changes;
  if (!beside.empty()) {
    const report::run before = report::read_run(std::filesystem::path(beside));
    changes = report::compare(before, report::analyse(before), run, found);
  }
  if (json) {
    auto all = report::to_json(run, found);
    if (changes) all["comparison"] = report::to_json(*changes);
    print_text("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    if (page->count() == 0) return 0;
  } else {
    print_text("{}{}", report::to_text(run, found), changes ? report::to_text(*changes) : "");
  }
  if (text_only) return 0;
  if (out.empty()) out = std::filesystem::path(file).replace_extension(".html").string();
  report::write_text(out, report::to_page(run, found, changes ? &*changes : nullptr));
  if (!json) print_text("\nwritten  {}, to be opened in a browser\n", out);
  return 0;
}

}  // namespace stretto::tools
