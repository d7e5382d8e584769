// options.cpp - stretto options: the table of options with the values in force.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stretto/arguments.hpp"
#include "stretto/terminal.hpp"

namespace stretto::tools {
namespace {

void print_json(const base::parsed_options& now) {
  auto rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < now.origin.size(); ++i) {
    const auto& row = base::option_table()[i];
    rows.push_back({{"name", row.name},
                    {"value", base::spelt(row, now.values)},
                    {"from", now.origin[i]},
                    {"default", row.by_default},
                    {"allowed", base::allowed_of(row)},
                    {"variable", base::variable_of(row)},
                    {"flag", base::flag_of(row)},
                    {"help", row.help}});
  }
  print_text("{}\n", rows.dump(2));
}

void print_table(const base::parsed_options& now) {
  constexpr std::size_t widest = 17;  // a longer value, such as a path, pushes the rest of its line
  print_text("{:23}{:{}}{:13}{}\n", "flag", "value", widest, "from", "meaning");
  for (std::size_t i = 0; i < now.origin.size(); ++i) {
    const auto& row = base::option_table()[i];
    const auto value = base::spelt(row, now.values);
    print_text("{:23}{:{}}{:13}{} ({})\n", base::flag_of(row), value.empty() ? "-" : value + " ", widest, now.origin[i],
               row.help, base::allowed_of(row));
  }
  print_text("\nThe flag --stack-size is the variable STRETTO_STACK_SIZE, and so for all.\n");
}

}  // namespace

int run_options(const invocation& call) {
  arguments words(call);
  bool json = false, markdown = false;
  words.add_json(json);
  words.add_flag("--markdown", markdown, "print the page docs/guide/options.md")->excludes("--json");
  if (!words.read()) return 0;
  if (markdown) print_text("{}", base::options_page());
  else if (json) print_json(call.options);
  else print_table(call.options);
  return 0;
}

}  // namespace stretto::tools
