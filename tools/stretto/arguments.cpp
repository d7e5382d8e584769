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
    refuse(remaining().at(0));
  } catch (const CLI::ParseError& fault) {
    throw error("W03", fmt::format("stretto {} cannot be run like this", call_.name))
        .because(fault.what())
        .remedy(help);
  }
  if (ends_at_program_) take_program();
  return true;
}

std::vector<std::string> arguments::given_but(const std::string& long_name) const {
  std::vector<std::string> words;
  for (const CLI::Option* option : get_options()) {
    if (option->check_lname(long_name)) continue;
    for (const std::string& value : option->results()) {
      words.push_back("--" + option->get_lnames().front());
      if (option->get_expected_max() > 0) words.back() += "=" + value;  // else a flag
    }
  }
  return words;
}

void arguments::refuse(const std::string& word) const {
  const std::string help = fmt::format("stretto {} --help", call_.name);
  if (!word.starts_with("-"))
    throw error("W02", fmt::format("\"{}\" is an unexpected argument of stretto {}", word, call_.name)).remedy(help);
  std::vector<std::string> names;
  for (const CLI::Option* option : get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  for (const auto& row : base::option_table()) names.push_back(base::flag_of(row));
  const auto near = base::did_you_mean(word.substr(0, word.find('=')), names);
  throw error("W02", fmt::format("stretto {} has no flag \"{}\"", call_.name, word)).remedy(near.empty() ? help : near);
}

void arguments::end_at_program() {
  ends_at_program_ = true;
  prefix_command();
  for (const auto& row : base::option_table()) {
    const auto take = [this, name = base::variable_of(row)](const std::string& value) { for_program_[name] = value; };
    add_option_function<std::string>(base::flag_of(row), take)->group("");  // `stretto options` shows them
  }
}

void arguments::take_program() {
  program_ = remaining();
  if (program_.empty()) return;
  if (program_.front() == "--") program_.erase(program_.begin());
  else if (program_.front().starts_with("-")) refuse(program_.front());
  base::parse_options(for_program_, {}, base::foreign_arguments::refuse);  // B12 to B14
}

}  // namespace stretto::tools
