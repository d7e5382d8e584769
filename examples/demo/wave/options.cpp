#include "demo/wave/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include <stretto/error.hpp>

#include "demo/wave/border.hpp"

namespace stretto::wave {
namespace {

struct pair_of_counts {
  long first, second;
};

/// A whole number that fills the text; large enough to exceed every limit, so that "too many" is reported as such.
std::optional<long> whole_number(std::string_view text) {
  long value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<pair_of_counts> pair_with_x(std::string_view text) {
  const auto x = text.find_first_of("xX");
  if (x == std::string_view::npos) return std::nullopt;
  const auto first = whole_number(text.substr(0, x)), second = whole_number(text.substr(x + 1));
  if (!first || !second) return std::nullopt;
  return pair_of_counts{*first, *second};
}

/// A number from `least` to `most`, or an error that names the option.
int count_option(const char* code, const char* option, const std::string& text, long least, long most, const char* what,
                 const char* example) {
  const auto value = whole_number(text);
  if (!value)
    throw error(code, fmt::format("{} \"{}\" is not a whole number", option, text))
        .remedy(fmt::format("{} {}", option, example));
  if (*value < least || *value > most)
    throw error(code, fmt::format("{} {} is out of range", option, text))
        .fact("range", fmt::format("{} to {} {}", least, most, what))
        .remedy(fmt::format("{} {}", option, example));
  return int(*value);
}

extent chosen_size(const options& asked, const environment& here) {
  if (!asked.size) {
    if (std::min(here.medium.rows, here.medium.columns) >= smallest_side) return here.medium;
    throw error("W10", "the medium is smaller than the stencil")
        .fact("medium", fmt::format("{} x {} pixels", here.medium.columns, here.medium.rows))
        .fact("stencil", fmt::format("{} x {} cells", smallest_side, smallest_side))
        .remedy("enlarge it with --size, for example --size 800x600");
  }
  const auto sides = pair_with_x(*asked.size);
  if (!sides)
    throw error("W10", fmt::format("--size \"{}\" is not WIDTHxHEIGHT", *asked.size)).remedy("--size 800x600");
  if (sides->first < smallest_side || sides->second < smallest_side)
    throw error("W10", fmt::format("--size {} is smaller than the stencil", *asked.size))
        .fact("smallest", fmt::format("{} x {} cells", smallest_side, smallest_side))
        .because(fmt::format("a cell's next value depends on its neighbours up to {} cells away", halo))
        .remedy("--size 800x600");
  if (sides->first > most_cells / sides->second)
    throw error("W10", fmt::format("--size {} is too large", *asked.size))
        .fact("limit", fmt::format("{} cells, {} GiB of fields", most_cells, most_cells * 12 >> 30))
        .remedy("--size 8000x6000");
  return {int(sides->second), int(sides->first)};
}

tiling chosen_tiles(const options& asked, extent size, int workers) {
  if (!asked.tiles) return choose_tiling(size, workers);
  const auto counts = pair_with_x(*asked.tiles);
  if (!counts || counts->first < 1 || counts->second < 1)
    throw error("W12", fmt::format("--tiles \"{}\" is not ACROSSxDOWN, two counts of at least 1", *asked.tiles))
        .remedy("--tiles 4x16");
  const long most_across = size.columns / halo, most_down = size.rows / halo;
  if (counts->first > most_across || counts->second > most_down)
    throw error("W12", fmt::format("--tiles {} are too many for the field", *asked.tiles))
        .fact("field", fmt::format("{} x {} cells", size.columns, size.rows))
        .fact("most", fmt::format("{} x {} tiles", most_across, most_down))
        .because(fmt::format("each side of a tile has at least {} cells, which its neighbours read", halo))
        .remedy("fewer tiles, or a larger --size");
  return cut(size, int(counts->first), int(counts->second));
}

/// A number from `least` to `most` that fills the text.
std::optional<double> number(std::string_view text, double least, double most) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most))
    return std::nullopt;
  return value;
}
std::optional<double> share(std::string_view text) { return number(text, 0, 1); }

velocity_range chosen_velocities(const options& asked) {
  if (!asked.velocity) return {};
  const std::string_view text = *asked.velocity;
  const auto colon = std::min(text.find(':'), text.size());
  const auto slowest = number(text.substr(0, colon), least_velocity_mps, most_velocity_mps);
  const auto fastest = number(text.substr(std::min(colon + 1, text.size())), least_velocity_mps, most_velocity_mps);
  if (!slowest || !fastest)
    throw error("W27", fmt::format("--velocity \"{}\" is not MIN:MAX, two velocities", text))
        .fact("range", fmt::format("{} to {} m/s", least_velocity_mps, most_velocity_mps))
        .because("MIN is the velocity in black pixels, MAX in white pixels")
        .remedy("--velocity 1500:4500");
  if (*slowest > *fastest)
    throw error("W27", fmt::format("--velocity {} has the larger velocity first", text))
        .because("MIN is the velocity in black pixels, MAX in white pixels")
        .remedy(fmt::format("--velocity {}:{}", *fastest, *slowest));
  return {*slowest, *fastest};
}

position cell_at(double x, double y, extent size) {
  return {std::min(size.rows - 1, int(y * size.rows)), std::min(size.columns - 1, int(x * size.columns))};
}

std::vector<position> chosen_sources(const options& asked, extent size) {
  const std::string text = asked.sources.value_or("1");
  std::vector<position> sources;
  if (whole_number(text)) {
    const int count = count_option("W14", "--sources", text, 1, most_sources, "sources", "3");
    const int depth = border_width(size) + size.rows / 50;  // just below the border, which would swallow them
    for (int i = 0; i < count; ++i) sources.push_back({depth, int((i + 0.5) / count * size.columns)});
    return sources;
  }
  for (std::size_t start = 0; start <= text.size();) {
    const auto end = std::min(text.find(':', start), text.size());
    const auto item = std::string_view(text).substr(start, end - start);
    const auto comma = std::min(item.find(','), item.size());
    const auto x = share(item.substr(0, comma)), y = share(item.substr(std::min(comma + 1, item.size())));
    if (!x || !y)
      throw error("W14", fmt::format("--sources \"{}\": \"{}\" is not a place in the field", text, item))
          .because("a place is X,Y, each from 0 to 1: 0,0 is the upper left corner, 1,1 the lower right")
          .remedy("--sources 3 or --sources 0.25,0.2:0.75,0.2");
    sources.push_back(cell_at(*x, *y, size));
    start = end + 1;
  }
  if (sources.size() > std::size_t(most_sources))
    throw error("W14", fmt::format("--sources names {} places", sources.size()))
        .fact("range", fmt::format("1 to {} sources", most_sources))
        .remedy("--sources 3");
  return sources;
}

std::vector<int> chosen_frames(const options& asked, int steps) {
  if (!asked.animate) return {};
  const int frames = count_option("W16", "--animate", *asked.animate, 2, most_frames, "frames", "60");
  if (frames > steps)
    throw error("W16", fmt::format("--animate {} asks for more frames than there are steps", frames))
        .fact("steps", std::to_string(steps))
        .remedy("fewer frames, or more --steps");
  std::vector<int> after;
  for (int i = 1; i <= frames; ++i) after.push_back(int(std::int64_t(steps) * i / frames));
  return after;
}

}  // namespace

plan validate(const options& asked, const environment& here) {
  plan p;
  p.size = chosen_size(asked, here);
  p.spacing_m = field_width_m / p.size.columns;
  p.steps = asked.steps ? count_option("W11", "--steps", *asked.steps, 1, most_steps, "steps", "1000")
                        : std::max(p.size.rows, p.size.columns) * 3 / 2;
  p.workers = asked.workers ? count_option("W13", "--workers", *asked.workers, 1, most_workers, "workers", "2")
                            : std::max(1, here.processors);
  p.tiles = chosen_tiles(asked, p.size, p.workers);
  p.sources = chosen_sources(asked, p.size);
  p.frame_steps = chosen_frames(asked, p.steps);
  p.velocities = chosen_velocities(asked);
  return p;
}

}  // namespace stretto::wave
