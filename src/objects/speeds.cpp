#include "objects/speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace stretto::objects {

namespace {

constexpr std::string_view heading = "stretto speeds 1";

// Names in a line: control characters and '%' are written as %XX.
std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == '%' || c == 0x7f)
      text += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    else text += c;
  return text;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      name += text[i];
      continue;
    }
    unsigned value = 0;
    const char* const first = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(first, first + 2, value, 16).ptr != first + 2) return {};
    name += static_cast<char>(value);
    i += 2;
  }
  return name;
}

template <class Number>
bool parse(std::string_view text, Number& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size();
}

// Removes and returns the text up to the separator, and the separator; nothing if there is none.
std::optional<std::string_view> cut(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  if (at == std::string_view::npos) return {};
  const std::string_view front = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  return front;
}

bool is_time(double seconds) { return std::isfinite(seconds) && seconds > 0; }

}  // namespace

unsigned speeds::class_of(std::uint64_t items) noexcept { return static_cast<unsigned>(std::bit_width(items)); }

std::uint32_t speeds::number_of(std::string_view kernel, std::string_view device) {
  std::string key = escaped(kernel) + '\t' + escaped(device);
  const auto [at, is_new] = numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(entries_.size()));
  if (is_new) entries_.push_back({std::string(kernel), std::string(device), {}});
  return at->second;
}

/// Counts one more time for the class of this size; null if the time is invalid.
speeds::measured* speeds::one_more(std::uint32_t number, std::uint64_t items, double per_item) {
  if (items == 0 || !is_time(per_item)) return nullptr;
  measured& m = entries_[number].of_class[class_of(items)];
  if (m.times < 1'000'000) ++m.times;
  return &m;
}

void speeds::record_at_most(std::uint32_t number, std::uint64_t items, double seconds) {
  const double per_item = seconds / static_cast<double>(items);
  measured* const m = one_more(number, items, per_item);
  if (!m) return;
  const bool is_first = m->times <= 2;
  m->seconds_per_item += (is_first || per_item < m->seconds_per_item ? 1 : 1.0 / 64) * (per_item - m->seconds_per_item);
  m->items += (is_first ? 1 : 1.0 / 8) * (static_cast<double>(items) - m->items);
}

void speeds::record(std::uint32_t number, std::uint64_t items, double seconds) {
  const double per_item = seconds / static_cast<double>(items);
  measured* const m = one_more(number, items, per_item);
  if (!m) return;
  const double weight = m->times <= 2 ? 1 : std::max(1.0 / (m->times - 1), 1.0 / 8);
  m->seconds_per_item += weight * (per_item - m->seconds_per_item);
  m->items += weight * (static_cast<double>(items) - m->items);
}

std::optional<double> speeds::predict(std::uint32_t number, std::uint64_t items) const {
  return from_classes_within(4, number, items);
}

std::optional<double> speeds::estimate(std::uint32_t number, std::uint64_t items) const {
  return from_classes_within(classes, number, items);
}

std::optional<double> speeds::from_classes_within(unsigned distance, std::uint32_t number, std::uint64_t items) const {
  if (items == 0) return {};
  const auto& of_class = entries_[number].of_class;
  const unsigned c = class_of(items);
  const auto n = static_cast<double>(items);
  if (of_class[c].times) return of_class[c].seconds_per_item * n;
  const measured *below = nullptr, *above = nullptr;
  unsigned below_class = 0, above_class = 0;
  for (unsigned i = c; i-- > 1 && !below;)
    if (of_class[i].times) below = &of_class[i], below_class = i;
  for (unsigned i = c + 1; i < classes && !above; ++i)
    if (of_class[i].times) above = &of_class[i], above_class = i;
  if (below && above) {
    const double from = below->seconds_per_item * below->items, to = above->seconds_per_item * above->items;
    const double share = (n - below->items) / (above->items - below->items);
    return from + share * (to - from);
  }
  if (below && c - below_class <= distance) return below->seconds_per_item * n;
  if (above && above_class - c <= distance) return above->seconds_per_item * n;
  return {};
}

std::string speeds::text() const {
  std::string text = std::string(heading) + '\n';
  for (const auto& [key, number] : numbers_)
    for (unsigned c = 0; c < classes; ++c) {
      const measured& m = entries_[number].of_class[c];
      if (m.times) text += fmt::format("{}\t{}\t{}\t{}\t{}\n", key, c, m.times, m.items, m.seconds_per_item);
    }
  return text;
}

std::optional<speeds> speeds::read(std::string_view text, std::string& fault) {
  speeds all;
  std::size_t line = 1;
  const auto wrong = [&](std::string_view what) {
    fault = fmt::format("line {}: {}", line, what);
    return std::nullopt;
  };
  const auto first = cut(text, '\n');
  if (!first || *first != heading) return wrong(fmt::format("this is not \"{}\"", heading));
  while (!text.empty()) {
    ++line;
    auto row = cut(text, '\n');
    if (!row) return wrong("the file ends within the line");
    const auto kernel = cut(*row, '\t'), device = cut(*row, '\t'), of = cut(*row, '\t'), times = cut(*row, '\t'),
               items = cut(*row, '\t');
    if (!kernel || !device || !of || !times || !items) return wrong("it has fewer than six fields");
    const auto kernel_name = unescaped(*kernel), device_name = unescaped(*device);
    if (!kernel_name || !device_name) return wrong("after % stand two hexadecimal digits");
    unsigned c = 0;
    measured m;
    if (!parse(*of, c) || c == 0 || c >= classes) return wrong("the third field is no class from 1 to 64");
    if (!parse(*times, m.times) || m.times == 0) return wrong("the fourth field is no number of times");
    if (!parse(*items, m.items) || !std::isfinite(m.items) || m.items < std::ldexp(1.0, static_cast<int>(c) - 1) ||
        m.items > std::ldexp(1.0, static_cast<int>(c)))
      return wrong("the fifth field is no number of items of this class");
    if (!parse(*row, m.seconds_per_item) || !is_time(m.seconds_per_item))
      return wrong("the sixth field is no time in seconds");
    measured& known = all.entries_[all.number_of(*kernel_name, *device_name)].of_class[c];
    if (known.times) return wrong("an earlier line says the same");
    known = m;
  }
  return all;
}

}  // namespace stretto::objects
