// join.cpp - stretto join FILE...: the timelines of a job's nodes as one file, for viewers that open one.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/merged_file.hpp"
#include "stretto/arguments.hpp"
#include "stretto/terminal.hpp"

namespace stretto::tools {

int run_join(const invocation& call) {
  arguments words(call);
  bool json = false;
  std::vector<std::filesystem::path> files;
  std::filesystem::path out;
  words.add_option("FILE", files, "the timeline of node 0, which stands for those beside it; or those of all nodes")
      ->required();
  words.add_option("--out,-o", out, "the file to write; else that of node 0 with the ending .all.json")
      ->type_name("FILE");
  words.add_json(json);
  if (!words.read()) return 0;

  if (out.empty()) out = std::filesystem::path(files.front()).replace_extension(".all.json");
  const report::merged_file found = report::write_merged_file(files, out);
  if (json) {
    nlohmann::ordered_json all{{"file", out.string()},
                               {"nodes", found.nodes},
                               {"events", found.events},
                               {"arrows_between_nodes", found.arrows}};
    if (!found.damage.empty()) all["damage"] = found.damage;
    print_text("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
  }
  if (!found.damage.empty()) print_text("incomplete  {}\n", found.damage);
  print_text(
      "written  {}: {} node{}, {} events, {} arrows between nodes; to be opened with ui.perfetto.dev or "
      "chrome://tracing\n",
      out.string(), found.nodes.size(), found.nodes.size() == 1 ? "" : "s", found.events, found.arrows);
  return 0;
}

}  // namespace stretto::tools
