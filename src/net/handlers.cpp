#include "net/handlers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "base/nearest_name.hpp"

namespace stretto::net {

namespace {

/// The prefix of an option's name in the description of a node.
constexpr std::string_view option_mark = "option ";

}  // namespace

void handlers::add(std::string name, void* owner, function f) {
  const auto same = [&](const entry& e) { return e.name == name; };
  if (std::any_of(all_.begin(), all_.end(), same))
    throw error("N01", "there are two handlers called \"" + name + "\"").remedy("give each message its own name");
  all_.push_back({std::move(name), owner, f});
}

void handlers::must_agree(std::string what, std::string value) {
  required_.emplace_back(std::move(what), std::move(value));
}

void handlers::must_agree_on_option(std::string name, std::string value) {
  required_.emplace_back(std::string(option_mark) + name, std::move(value));
}

void handlers::close() {
  if (std::exchange(is_closed_, true)) return;
  std::sort(all_.begin(), all_.end(), [](const entry& a, const entry& b) { return a.name < b.name; });
}

handler_number handlers::number(std::string_view name) const {
  const auto at =
      std::lower_bound(all_.begin(), all_.end(), name, [](const entry& e, std::string_view n) { return e.name < n; });
  if (at != all_.end() && at->name == name) return static_cast<handler_number>(at - all_.begin());
  throw no_handler(name);
}

error handlers::no_handler(std::string_view name) const {
  std::vector<std::string> names;
  for (const entry& e : all_) names.push_back(e.name);
  error e("N03", "there is no handler called \"" + std::string(name) + "\"");
  if (const auto meant = base::did_you_mean(name, names); !meant.empty()) e.remedy(meant);
  return e;
}

std::uint64_t handlers::digest_of_names() const noexcept {
  std::uint64_t hash = base::fnv1a("");
  for (const entry& e : all_) hash = base::fnv1a({e.name.c_str(), e.name.size() + 1}, hash);  // with its end
  return hash;
}

std::uint64_t handlers::digest() const noexcept {
  std::uint64_t hash = digest_of_names();
  for (const auto& [what, value] : required_) {
    hash = base::fnv1a({what.c_str(), what.size() + 1}, hash);
    hash = base::fnv1a({value.c_str(), value.size() + 1}, hash);
  }
  return hash;
}

std::string handlers::description(std::size_t most) const {
  std::string all;
  for (const auto& [what, value] : required_) all += what + '\t' + value + '\n';
  all += fmt::format("messages\t{} kinds, {:016x}\n", all_.size(), digest_of_names());
  return all.substr(0, most);
}

error build_mismatch(node_number one, std::string_view one_description, node_number other,
                     std::string_view other_description) {
  const auto next = [](std::string_view& of) {
    const auto line = of.substr(0, of.find('\n'));
    of.remove_prefix(std::min(of.size(), line.size() + 1));
    const auto tab = std::min(line.find('\t'), line.size());
    return std::pair(line.substr(0, tab), line.substr(std::min(tab + 1, line.size())));
  };
  std::vector<std::pair<std::string, std::string>> facts;
  std::size_t options = 0;
  while (!one_description.empty() && !other_description.empty()) {
    const auto [what, value] = next(one_description);
    const auto [what_there, value_there] = next(other_description);
    if (what == what_there && value == value_there) continue;
    const bool is_option = what.starts_with(option_mark) && what == what_there;
    facts.emplace_back(what.substr(is_option ? option_mark.size() : 0),
                       fmt::format("{} on node {}, {} on node {}", value, one, value_there, other));
    if (is_option) ++options;
  }
  const bool are_options = options > 0 && options == facts.size();
  error e(are_options ? "N15" : "N06", fmt::format("nodes {} and {} of this job {}", one, other,
                                                   are_options ? "have different options" : "run different builds"));
  for (auto& [what, value] : facts) e.fact(std::move(what), std::move(value));
  if (are_options)
    return std::move(
        e.because("all nodes must have the same values of these options")
            .remedy("give all nodes the same options; `stretto run` passes those of its shell to all nodes"));
  return std::move(e.because("messages refer to functions by their position in one build")
                       .remedy("build the program once, in a folder that all hosts see, and start it from there"));
}

}  // namespace stretto::net
