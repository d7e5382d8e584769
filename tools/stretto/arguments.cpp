#include "stretto/arguments.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <stretto/error.hpp>

#include "base/nearest_name.hpp"

namespace stretto::tools {

arguments::arguments(const invocation& call)
    : CLI::App(fmt::format("{}.", call.summary), fmt::format("stretto {}", call.name)), call_(call) {
  set_help_flag("--help", "print this text");
  get_formatter()->column_width(26);
  footer("The options of the runtime, such as --workers, are accepted too: stretto options");
}

void arguments::add_json(bool& wanted) { add_flag("--json", wanted, "print JSON"); }

bool arguments::read() {
  std::vector<std::string> reversed(call_.arguments.rbegin(), call_.arguments.rend());
  const std::string help = fmt::format("stretto {} --help", call_.name);
  try {
    parse(reversed);
  } catch (const CLI::CallForHelp&) {
    std::fputs(this->help().c_str(), stdout);
    return false;
  } catch (const CLI::ExtrasError&) {
    const std::string extra = remaining().at(0);
    if (!extra.starts_with("-"))
      throw error("W02", fmt::format("\"{}\" is one word too many for stretto {}", extra, call_.name)).remedy(help);
    std::vector<std::string> names;
    for (const CLI::Option* option : get_options())
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& row : base::option_table()) names.push_back(base::flag_of(row));
    const auto near = base::did_you_mean(extra.substr(0, extra.find('=')), names);
    throw error("W02", fmt::format("stretto {} has no flag \"{}\"", call_.name, extra)).remedy(near.empty() ? help : near);
  } catch (const CLI::ParseError& fault) {
    throw error("W03", fmt::format("stretto {} cannot be run like this", call_.name))
        .because(fault.what())
        .remedy(help);
  }
  return true;
}

}  // namespace stretto::tools
