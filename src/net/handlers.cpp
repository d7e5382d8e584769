#include "net/handlers.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "base/nearest_name.hpp"

namespace stretto::net {

void handlers::add(std::string name, void* owner, function f) {
  const auto same = [&](const entry& e) { return e.name == name; };
  if (std::any_of(all_.begin(), all_.end(), same))
    throw error("N01", "there are two handlers called \"" + name + "\"").remedy("give each message its own name");
  all_.push_back({std::move(name), owner, f});
}

void handlers::close() {
  if (std::exchange(is_closed_, true)) return;
  std::sort(all_.begin(), all_.end(), [](const entry& a, const entry& b) { return a.name < b.name; });
}

handler_number handlers::number(std::string_view name) const {
  const auto at = std::lower_bound(all_.begin(), all_.end(), name, [](const entry& e, std::string_view n) { return e.name < n; });
  if (at != all_.end() && at->name == name) return static_cast<handler_number>(at - all_.begin());
  std::vector<std::string> names;
  for (const entry& e : all_) names.push_back(e.name);
  error e("N03", "there is no handler called \"" + std::string(name) + "\"");
  if (const auto meant = base::did_you_mean(name, names); !meant.empty()) e.remedy(meant);
  throw e;
}

std::uint64_t handlers::digest() const noexcept {
  std::uint64_t hash = base::fnv1a("");
  for (const entry& e : all_) hash = base::fnv1a({e.name.c_str(), e.name.size() + 1}, hash);  // with its end
  return hash;
}

}  // namespace stretto::net
