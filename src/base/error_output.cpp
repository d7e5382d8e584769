#include "base/error_output.hpp"

#include <cstdio>
#include <stretto/error.hpp>
#include <string_view>

#include "base/terminal_text.hpp"

namespace stretto::base {

std::string printed(const std::exception& e, error_form form) {
  const auto* ours = dynamic_cast<const error*>(&e);
  const error shown = ours ? *ours : error("W00", e.what());
  return terminal_text(form == error_form::json ? shown.to_json() : std::string_view(shown.what())) + "\n";
}

std::string printed_warning(const error& e, error_form form) {
  std::string text = printed(e, form);
  if (form == error_form::json) return text.insert(1, "\"severity\":\"warning\",");
  return "warning" + text.substr(std::string_view("error").size());
}

namespace {

template <class Text>
void print(const std::exception& e, Text&& text_of) noexcept {
  try {
    const std::string text = text_of();
    std::fwrite(text.data(), 1, text.size(), stderr);
  } catch (...) {  // no memory is left for the whole text
    std::fputs(e.what(), stderr);
    std::fputc('\n', stderr);
  }
}

}  // namespace

void print_error(const std::exception& e, error_form form) noexcept {
  print(e, [&] { return printed(e, form); });
}

void print_warning(const error& e, error_form form) noexcept {
  print(e, [&] { return printed_warning(e, form); });
}

error_form error_form_of(const environment& variables, std::span<const std::string> arguments) {
  std::string requested;
  if (const auto found = variables.find("STRETTO_ERRORS"); found != variables.end()) requested = found->second;
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i].starts_with("--errors=")) requested = arguments[i].substr(9);
    else if (arguments[i] == "--errors" && i + 1 < arguments.size()) requested = arguments[++i];
  }
  return requested == "json" ? error_form::json : error_form::text;
}

}  // namespace stretto::base
