#include "buffers/mapper_learner.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "device/kernel_signature.hpp"

namespace stretto::buffers {
namespace {

constexpr std::size_t most_samples = 64;
constexpr std::size_t most_shown_chunks = 4, most_shown_boxes = 6;

std::string point_text(const point& p, int dimensions) {
  bool are_equal = true;
  for (int a = 1; a < dimensions; ++a) are_equal = are_equal && p[a] == p[0];
  std::string text = std::to_string(p[0]);
  for (int a = 1; a < dimensions && !are_equal; ++a) text += ", " + std::to_string(p[a]);
  return text;
}

graph::observed_use use_of(const box& chunk, const touched_elements& t) {
  if (std::optional<region> is = t.elements()) return {.chunk = chunk, .used = std::move(*is)};
  return {.chunk = chunk, .used = t.bounds(), .is_exact = false, .has_corners = t.has_corners(), .count = t.count()};
}

/// "[0,8) + [24,32)"; for scattered elements their number.
std::string elements_text(const graph::observed_use& u) {
  if (!u.is_exact && u.count != 0) return std::to_string(u.count) + " elements scattered in " + u.used.text();
  const std::vector<box>& all = u.used.boxes();
  if (all.size() <= most_shown_boxes) return u.used.text();
  std::string text;
  for (std::size_t i = 0; i < most_shown_boxes; ++i) text += all[i].text() + " + ";
  return text + "and " + std::to_string(all.size() - most_shown_boxes) + " boxes more";
}

}  // namespace

std::string text_of(const detail::range_mapper& m, int dimensions) {
  using kind = detail::range_mapper::kind;
  switch (m.is) {
    case kind::one_to_one: return "one_to_one";
    case kind::neighborhood: return "neighborhood(" + point_text(m.border, dimensions) + ")";
    case kind::star: return "star(" + point_text(m.border, dimensions) + ")";
    case kind::wrapped: return "wrapped(" + point_text(m.border, dimensions) + ")";
    case kind::slice: return "slice(" + std::to_string(m.axis) + ")";
    case kind::all: return "all";
    case kind::fixed: return "fixed(" + m.always.text() + ")";
    case kind::transposed: {
      if (m.by == mappers::transposed{{1, 0, 2}}.by) return "transposed";
      std::string axes;
      for (const std::uint8_t by : m.by) axes += (axes.empty() ? "" : ", ") + std::to_string(by);
      return "transposed_by(" + axes + ")";
    }
    case kind::even_split: return "even_split";
    case kind::custom: return "a function";
  }
  return {};
}

touched_elements* mapper_learner::observe(const argument& a, const box& chunk) {
  const auto is_same = [&](const learned_argument& l) {
    return l.is.code == a.code && l.is.parameter == a.parameter && l.is.where.line() == a.where.line() &&
           l.is.where.column() == a.where.column() && l.is.range == a.range &&
           l.is.given.elements() == a.given.elements();
  };
  auto found = std::ranges::find_if(all_, is_same);
  if (found == all_.end()) found = all_.insert(all_.end(), learned_argument{a, {}});
  if (found->samples.size() == most_samples) return nullptr;
  found->changes = found->changes || a.given_text != found->is.given_text;
  found->samples.push_back({chunk, a.given, std::make_unique<touched_elements>(chunk, a.given.elements())});
  return found->samples.back().touched.get();
}

std::string mapper_learner::line_of(const learned_argument& l) const {
  std::vector<graph::observed_use> uses;
  for (const sample& s : l.samples) uses.push_back(use_of(s.chunk, *s.touched));
  const graph::learned_mapping best = graph::learn_mapping(uses, l.is.range, l.is.given.elements(), l.is.dimensions);
  const auto compare_one = [&](std::size_t i) {
    return graph::compare(l.samples[i].given, std::span(&uses[i], 1), l.is.range);
  };
  std::uint64_t named = 0;
  std::size_t lacking = uses.size();
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const graph::compared_mapping given = compare_one(i);
    named += given.named;
    if (!given.is_enough && lacking == uses.size()) lacking = i;
  }
  const std::string name = device::parameters_of(device::tokens_of(l.is.code->parameter_text))[l.is.parameter].name;
  std::string text = "\n  " + name + " = " + l.is.buffer + "  " + (l.changes ? "mappers that change" : l.is.given_text);
  if (best.text.empty()) return text + ": uses no element of it";
  const bool is_enough = lacking == uses.size();
  if (!is_enough)
    text += ": names too little: " + uses[lacking].chunk.text() + " uses " + elements_text(uses[lacking]) + "; write " +
            best.text;
  else if (best.named < named)
    text +=
        ": names " + std::to_string(named) + " elements where " + best.text + " names " + std::to_string(best.named);
  else text += ": right";
  const bool is_just_that = is_enough && named == best.used;
  if (!best.fits() && !is_just_that) {
    text += ", but no named mapper fits: of " + std::to_string(std::min(best.named, is_enough ? named : best.named)) +
            " elements " + std::to_string(best.used) + " are used";
    for (std::size_t i = 0; i < uses.size() && i < most_shown_chunks; ++i)
      text += "\n      " + uses[i].chunk.text() + " uses " + elements_text(uses[i]);
  }
  return text;
}

void mapper_learner::report(const std::function<void(const std::string&)>& sink) const {
  using line = std::tuple<std::string, unsigned, unsigned>;
  std::map<line, std::vector<const learned_argument*>> launches;
  for (const learned_argument& l : all_)
    launches[{l.is.where.file_name(), l.is.where.line(), l.is.where.column()}].push_back(&l);
  for (auto& [at, uses] : launches) {
    const std::string file = std::get<0>(at);
    std::string text = "\"" + std::string(uses.front()->is.code->name) + "\" launched at " +
                       file.substr(file.rfind('/') + 1) + ":" + std::to_string(std::get<1>(at)) +
                       ", as it was seen to use its buffers:";
    std::vector<std::string> lines;
    for (const learned_argument* l : uses) {
      std::string one = line_of(*l);
      if (std::ranges::find(lines, one) == lines.end()) lines.push_back(std::move(one));
    }
    for (const std::string& t : lines) text += t;
    sink(text);
  }
}

}  // namespace stretto::buffers
