// explain.cpp - stretto explain CODE: the page behind an error.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stretto/error.hpp>

#include "base/nearest_name.hpp"
#include "stretto/arguments.hpp"
#include "stretto/built_in_files.hpp"

namespace stretto::tools {
namespace {

// "B12.md" -> "B12".
std::string_view code_of(const built_in_file& page) { return page.path.substr(0, page.path.find('.')); }

// "# B12: title" -> "title".
std::string_view title_of(const built_in_file& page) {
  const auto line = page.text.substr(0, page.text.find('\n'));
  const auto colon = line.find(": ");
  return colon == line.npos ? line : line.substr(colon + 2);
}

/// The letters O, I and S are easily typed for the digits that they resemble: B2O is B20.
std::string suggestion(std::string typed) {
  for (std::size_t i = 1; i < typed.size(); ++i)
    typed[i] = typed[i] == 'O' ? '0' : typed[i] == 'I' || typed[i] == 'L' ? '1' : typed[i] == 'S' ? '5' : typed[i];
  std::vector<std::string> codes;
  for (const auto& page : error_pages()) codes.emplace_back(code_of(page));
  const auto near = base::did_you_mean(typed, codes);
  return near.empty() ? "`stretto explain` lists all codes" : near;
}

const built_in_file& find(const std::string& typed) {
  std::string code = typed;
  for (char& c : code) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const auto found = std::ranges::find(error_pages(), code, code_of);
  if (found != error_pages().end()) return *found;
  throw error("W04", fmt::format("there is no error with the code \"{}\"", typed))
      .because("a code is a letter and two digits, as in \"error B12: ...\"")
      .remedy(suggestion(code));
}

}  // namespace

int run_explain(const invocation& call) {
  arguments words(call);
  bool json = false;
  std::string code;
  words.add_json(json);
  words.add_option("CODE", code, "the code, such as B12; without it, all codes are listed");
  if (!words.read()) return 0;

  if (!code.empty()) {
    const auto& page = find(code);
    if (json) fmt::print("{}\n", nlohmann::ordered_json{{"code", code_of(page)}, {"text", page.text}}.dump(2));
    else fmt::print("{}", page.text);
    return 0;
  }
  auto rows = nlohmann::ordered_json::array();
  for (const auto& page : error_pages()) {
    if (json) rows.push_back({{"code", code_of(page)}, {"title", title_of(page)}});
    else fmt::print("{}  {}\n", code_of(page), title_of(page));
  }
  if (json) fmt::print("{}\n", rows.dump(2));
  return 0;
}

}  // namespace stretto::tools
