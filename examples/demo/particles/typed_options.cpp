#include "demo/particles/typed_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include <stretto/error.hpp>

#include "base/nearest_name.hpp"

namespace particles {
namespace {

constexpr std::uint32_t most_patches = 1024;  // along an axis

const std::vector<choice>& all_choices() {
  using namespace stretto::balancers;
  static const std::vector<choice> all{{"none", {}},
                                       {"greedy", greedy{}},
                                       {"refine", refine{}},
                                       {"diffusion", diffusion{}},
                                       {"stealing", stealing{}},
                                       {"hints", stretto::by_hints(refine{.tolerance = 1.02})}};
  return all;
}

const choice& choice_named(const std::string& name) {
  const auto found = std::ranges::find(all_choices(), name, &choice::name);
  if (found != all_choices().end()) return *found;
  std::vector<std::string> names;
  for (const choice& c : all_choices()) names.push_back(c.name);
  const auto near = stretto::base::did_you_mean(name, names);
  throw stretto::error("W36", fmt::format("there is no balancer \"{}\"", name))
      .remedy(near.empty() ? fmt::format("--balancer with some of {}", fmt::join(names, ",")) : near);
}

}  // namespace

std::vector<choice> read_balancers(const std::string& text) {
  std::vector<choice> all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const choice& one = choice_named(text.substr(at, end - at));
    if (std::ranges::find(all, one.name, &choice::name) == all.end()) all.push_back(one);
    at = end + 1;
  }
  return all;
}

cut read_cut(const std::string& text) {
  const auto number = [&](std::string_view digits) {
    std::uint32_t n = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    return fault == std::errc() && end == digits.data() + digits.size() && n <= most_patches ? n : 0;
  };
  const std::size_t between = std::min(text.find('x'), text.size());
  const cut c{number(std::string_view(text).substr(0, between)),
              number(std::string_view(text).substr(std::min(between + 1, text.size())))};
  if (c.x && c.y) return c;
  throw stretto::error("W36", fmt::format("--patches cannot be \"{}\"", text))
      .fact("allowed", fmt::format("two numbers from 3 to {}", most_patches))
      .remedy("--patches 16x16");
}

cut cut_for(const problem& p, std::uint32_t factor, std::uint32_t workers) {
  const auto wanted = static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(factor) * workers)));
  const std::uint32_t along = std::clamp(wanted, 3u, std::max(3u, p.in().cells / least_cells));
  return {along, along};
}

}  // namespace particles
