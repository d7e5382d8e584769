#include "stretto/ranks_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <stretto/error.hpp>
#include <system_error>
#include <utility>

#include "base/child_process.hpp"
#include "base/whole_file.hpp"
#include "demo/wave/shipped_medium.hpp"

namespace stretto::tools {
namespace {

int take_number(std::string_view& text) {
  int value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  text.remove_prefix(std::min<std::size_t>(text.size(), end - text.data() + 1));
  return value;
}

}  // namespace

std::filesystem::path program_source(const std::filesystem::path& name) {
  const auto installed = wave::running_program().parent_path().parent_path() / "share/stretto" / name;
  const auto in_source = std::filesystem::path(STRETTO_SOURCE_PROGRAMS) / name;
  std::error_code failure;
  return !std::filesystem::exists(installed, failure) && std::filesystem::exists(in_source, failure) ? in_source
                                                                                                     : installed;
}

std::vector<std::string> program_variables(int ranks, const base::parsed_options& options) {
  std::vector<std::string> variables{fmt::format("STRETTO_RANKS={}", ranks)};
  for (std::size_t i = 0; i < options.origin.size(); ++i) {
    const base::option& row = base::option_table()[i];
    if (options.origin[i] == "flag")
      variables.push_back(base::variable_of(row) + "=" + base::spelt(row, options.values));
  }
  return variables;
}

program_end run_program_of_ranks(std::vector<std::string> command, std::vector<std::string> variables) {
  const auto end = base::run_child({std::move(command), std::move(variables), std::chrono::hours(24)});
  fmt::print(stderr, "{}", end.errors);
  return {end.has_succeeded(), end.output};
}

wave::rgb_image read_netpbm(const std::filesystem::path& file) {
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

}  // namespace stretto::tools
