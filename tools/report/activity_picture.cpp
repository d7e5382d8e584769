#include "report/activity_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stretto::report {
namespace {

constexpr double width = 980, left = 170, right = 24, row_height = 20, bar_height = 14, panel_gap = 46, top = 84;

// Colours as in the timeline of the report; on dark pages they are lighter.
constexpr const char* style = R"(<style>
  text { font: 13px system-ui, sans-serif; fill: #333 } .title { font-size: 16px; font-weight: 600 }
  .panel { font-weight: 600 } .page { fill: #fff } .row { fill: #f2f2f2 } .axis { stroke: #999 }
  .a0 { fill: #5b5f97 } .a1 { fill: #d9c7a3 } .a2 { fill: #edae49 } .a3 { fill: #d1495b } .a4 { fill: #00798c }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .page { fill: #16181c } .row { fill: #23262d } .axis { stroke: #777 }
    .a0 { fill: #a3a7e8 } .a1 { fill: #6b6350 } .a2 { fill: #b98529 } .a3 { fill: #ff7285 } .a4 { fill: #35b8cc }
  }
</style>
)";

std::string bar(const char* kind, double x, double y, double length, double height) {
  return fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.0f}\"/>\n", kind, x, y,
                     length, height);
}

std::string text_at(double x, double y, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x, y, more, text);
}

/// Of text between tags.
std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) all += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return all;
}

/// 1, 2 or 5 times a power of ten: about a tenth of a time.
nanoseconds round_part(nanoseconds time) {
  nanoseconds power = 1;
  while (power * 100 <= time) power *= 10;
  for (const nanoseconds digit : {1, 2, 5})
    if (digit * power * 10 >= time) return digit * power;
  return 10 * power;
}

std::string text_of_time(nanoseconds time) {
  return time >= 1'000'000 ? fmt::format("{:g} ms", static_cast<double>(time) / 1e6)
                           : fmt::format("{:g} us", static_cast<double>(time) / 1e3);
}

class drawing {
 public:
  explicit drawing(nanoseconds shown) : shown_(std::max<nanoseconds>(1, shown)) {}

  void add(const activity_panel& panel) {
    text_ += text_at(left, y_ - 8, escaped(panel.title), " class=\"panel\"");
    first_ = std::max<nanoseconds>(panel.of->begin, panel.of->middle - shown_ / 2);
    for (const activity_row& row : panel.of->rows) add(row);
    y_ += panel_gap;
  }

  void add_axis() {
    const double line = y_ - panel_gap + 6;
    text_ += fmt::format("<line class=\"axis\" x1=\"{0}\" y1=\"{2:.1f}\" x2=\"{1}\" y2=\"{2:.1f}\"/>\n", left,
                         width - right, line);
    const nanoseconds step = round_part(shown_);
    for (nanoseconds at = 0; at <= shown_; at += step)
      text_ += text_at(x_of(first_ + at), line + 18, text_of_time(at), " text-anchor=\"middle\"");
    y_ = line + 34;
  }

  double height() const { return y_; }
  const std::string& text() const { return text_; }

 private:
  double x_of(nanoseconds at) const {
    const double part = static_cast<double>(at - first_) / static_cast<double>(shown_);
    return left + std::clamp(part, 0.0, 1.0) * (width - left - right);
  }

  void add(const activity_row& row) {
    text_ += text_at(left - 10, y_ + 12, escaped(row.name), " text-anchor=\"end\"");
    text_ += bar("row", left, y_, width - left - right, bar_height);
    for (const activity_span& one : row.spans) {
      if (one.end <= first_ || one.start >= first_ + shown_) continue;
      const std::string kind = fmt::format("a{}", static_cast<unsigned>(one.is));
      text_ += bar(kind.c_str(), x_of(one.start), y_, std::max(0.15, x_of(one.end) - x_of(one.start)), bar_height);
    }
    y_ += row_height;
  }

  const nanoseconds shown_;
  nanoseconds first_ = 0;
  double y_ = top + 24;
  std::string text_;
};

std::string legend() {
  std::string text;
  double x = left;
  for (unsigned i = 0; i < activity_count; ++i) {
    const std::string what = name(static_cast<activity>(i));
    text += bar(fmt::format("a{}", i).c_str(), x, 48, 14, 14) + text_at(x + 20, 60, what);
    x += 46 + 7.2 * static_cast<double>(what.size());
  }
  return text;
}

}  // namespace

std::string activity_picture(const std::string& title, const std::vector<activity_panel>& panels, nanoseconds shown) {
  drawing all(shown);
  for (const activity_panel& one : panels) all.add(one);
  all.add_axis();
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" height=\"{1:.0f}\">\n"
             "{2}<rect class=\"page\" width=\"{0}\" height=\"{1:.0f}\"/>\n",
             width, all.height(), style) +
         text_at(left, 28, escaped(title), " class=\"title\"") + legend() + all.text() + "</svg>\n";
}

}  // namespace stretto::report
