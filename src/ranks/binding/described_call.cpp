#include "ranks/binding/described_call.hpp"

#include <utility>

#include "base/code_location.hpp"
#include "ranks/binding/handles.hpp"
#include "ranks/datatypes/type_signature.hpp"

namespace stretto::ranks {

namespace {

// Both fit into the head of a message.
constexpr std::size_t most_text = 400;
constexpr std::size_t most_runs = 24;

constexpr std::int64_t most_elements = std::int64_t{1} << 60;

}  // namespace

std::string described_call::place() const { return call + " at " + base::location_of_call(return_address); }

std::string described_call::text() const {
  return elsewhere.empty() ? "rank " + std::to_string(rank) + ", " + place() : elsewhere;
}

described_call innermost_description() {
  rank_state& of = current_rank();
  return {of.world.rank(), text_of(*innermost_call, of), own_return_address(*innermost_call)};
}

described_data describe(const data_of_call& data) {
  described_data made{data.site.text().substr(0, most_text), data.count, {}};
  if (!data.type) return made;
  if (auto runs = runs_of(*data.type, most_runs)) made.element = std::move(*runs);
  return made;
}

data_of_call described_elsewhere(const described_data& data) {
  data_of_call made;
  made.site.elsewhere = data.call;
  made.count = data.count;
  if (!data.element.empty()) made.type = type_with_runs(data.element);
  const bool is_possible = made.type && data.count >= 0 && made.type->elements() <= most_elements / (data.count + 1);
  if (!is_possible) made.type = {};
  return made;
}

}  // namespace stretto::ranks
