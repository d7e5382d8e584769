#include "chart/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace stretto::tools {
namespace {

constexpr double width = 860, left = 64, right = 34, top = 74, height = 210, gap = 34, bottom = 52;
constexpr double plot_width = width - left - right;

// As the pictures of the benchmarks; on dark pages the dark ones are lighter.
constexpr const char* style = R"(<style>
  text { font: 13px system-ui, sans-serif; fill: #333 }
  .title { font-size: 16px; font-weight: 600 }
  .page { fill: #fff } .grid { stroke: #e4e4e4 } .axis { stroke: #999 } .mark { stroke: #777; stroke-dasharray: 5 4 }
  .line { fill: none; stroke-width: 1.7; stroke-linejoin: round } .key { stroke-width: 4 }
  .c0 { stroke: #d1495b } .c1 { stroke: #00798c } .c2 { stroke: #d18f00 }
  .c3 { stroke: #5b5f97 } .c4 { stroke: #4f8f6c } .c5 { stroke: #8d5a2b }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .page { fill: #16181c } .grid { stroke: #2c2f36 } .axis { stroke: #777 } .mark { stroke: #999 }
    .c0 { stroke: #ff7285 } .c1 { stroke: #35b8cc } .c2 { stroke: #edb949 }
    .c3 { stroke: #a3a7e8 } .c4 { stroke: #86c9a4 } .c5 { stroke: #c9966a }
  }
</style>
)";

/// 1, 2 or 5 times a power of ten, so that there are about so many steps in a range.
double round_step(double range, double steps) {
  const double raw = range / steps, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (raw <= digit * power) return digit * power;
  return 10 * power;
}

std::string line(const char* kind, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind, x1, y1, x2,
                     y2);
}

std::string text_at(double x, double y, const char* anchor, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more, text);
}

struct scale {
  double from, to, low, high;  // values, and where they are drawn
  bool doubles = false;
  double operator()(double v) const {
    if (doubles) return low + std::log2(v / from) / std::log2(to / from) * (high - low);
    return low + (v - from) / (to - from) * (high - low);
  }
};

/// From the least power of 2 that is not above all values to the greatest that is not below any, at least one apart.
scale doubling(double least, double most, double low, double high) {
  const double from = std::exp2(std::floor(std::log2(least) + 1e-9));
  return {from, std::max(2 * from, std::exp2(std::ceil(std::log2(most) - 1e-9))), low, high, true};
}

/// The values where an axis is marked: at most about so many.
std::vector<double> marks_of(const scale& s, double most) {
  std::vector<double> marks;
  if (s.doubles) {
    const double factor = std::exp2(std::ceil(std::log2(s.to / s.from) / most - 1e-9));
    for (double v = s.from; v <= s.to * 1.001; v *= factor) marks.push_back(v);
  } else {
    const double step = round_step(s.to - s.from, most);
    for (int i = 0; s.from + i * step < s.to + step / 2; ++i) marks.push_back(s.from + i * step);
  }
  return marks;
}

scale vertical(const chart::panel& p, const chart& c, double below) {
  double least = 1e300, most = p.doubles ? 0 : c.least;
  for (const auto& one : p.lines)
    for (const double v : one) least = std::min(least, v), most = std::max(most, v);
  if (p.doubles) return doubling(least, most, below, below - height);
  const double range = std::max(most - c.least, 0.2), step = round_step(range, 5);
  return {c.least, c.least + std::ceil(range / step - 1e-9) * step, below, below - height};
}

std::string drawn(const chart::panel& p, const chart& c, const scale& x, double below) {
  const scale y = vertical(p, c, below);
  std::string text;
  for (const double v : marks_of(y, p.doubles ? 6 : 5))
    text += line(v > y.from ? "grid" : "axis", left, y(v), width - right, y(v)) +
            text_at(left - 8, y(v) + 4, "end", fmt::format("{:.5g}", v));
  if (c.mark > y.from && c.mark < y.to) {
    text += line("mark", left, y(c.mark), width - right, y(c.mark));
    text += text_at(width - right + 4, y(c.mark) + 4, "start", fmt::format("{:g}", c.mark));
  }
  for (std::size_t i = 0; i < p.lines.size(); ++i) {
    text += fmt::format("<polyline class=\"line c{}\" points=\"", i % 6);
    for (std::size_t at = 0; at < p.lines[i].size(); ++at)
      text += fmt::format("{}{:.1f},{:.1f}", at ? " " : "", x(c.at.empty() ? static_cast<double>(at + 1) : c.at[at]),
                          y(std::min(p.lines[i][at], y.to)));
    text += "\"/>\n";
  }
  const double middle = below - height / 2;
  return text +
         text_at(18, middle, "middle", p.label, fmt::format(" transform=\"rotate(-90 18 {:.1f})\"", middle).c_str());
}

}  // namespace

std::string to_svg(const chart& c) {
  std::size_t steps = 1;
  for (const auto& p : c.panels)
    for (const auto& one : p.lines) steps = std::max(steps, one.size());
  const double panels = static_cast<double>(c.panels.size()), end = top + panels * height + (panels - 1) * gap,
               all = end + bottom;
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" ";
  text += fmt::format("viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n", width, all);
  text += style + fmt::format("<rect class=\"page\" width=\"{}\" height=\"{}\"/>\n", width, all);
  text += text_at(left, 28, "start", c.title, " class=\"title\"");
  double key = left;
  for (std::size_t i = 0; i < c.names.size(); ++i) {
    text += fmt::format("<line class=\"key c{}\" x1=\"{:.1f}\" y1=\"52\" x2=\"{:.1f}\" y2=\"52\"/>\n", i % 6, key,
                        key + 22);
    text += text_at(key + 28, 56, "start", c.names[i]);
    key += 28 + 8.0 * static_cast<double>(c.names[i].size()) + 24;
  }
  const double last = c.at.empty() ? static_cast<double>(steps) : c.at.back();
  const scale x =
      c.doubles ? doubling(c.at.front(), last, left, left + plot_width) : scale{0, last, left, left + plot_width};
  if (c.doubles) {
    for (const double v : marks_of(x, 13)) text += text_at(x(v), end + 20, "middle", fmt::format("{:g}", v));
  } else {
    const double step = std::max(1.0, round_step(last, 8));
    for (double at = 0; at <= last; at += step) text += text_at(x(at), end + 20, "middle", fmt::format("{:g}", at));
  }
  text += text_at(left + plot_width / 2, end + 42, "middle", c.across);
  for (std::size_t i = 0; i < c.panels.size(); ++i)
    text += drawn(c.panels[i], c, x, top + height + static_cast<double>(i) * (height + gap));
  return text + "</svg>\n";
}

}  // namespace stretto::tools
