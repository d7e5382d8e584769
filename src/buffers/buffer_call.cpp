#include "buffers/buffer_call.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "buffers/mapper_learner.hpp"
#include "graph/labels.hpp"
#include "objects/launch_preparation.hpp"

namespace stretto::buffers {
namespace {

const char* verb_of(access a) noexcept {
  switch (a) {
    case access::in: return "reads ";
    case access::out: return "writes ";
    case access::reduce: return "reduces into ";
    default: return "changes ";
  }
}

std::string text_of_use(const buffer_call::use& u) {
  std::string text = verb_of(u.how) + ("B" + std::to_string(u.buffer));
  if (u.how != access::reduce) return text + " by " + text_of(u.by, u.dimensions);
  return u.includes_current ? text : text + " from the identity";
}

std::string text_of_uses(const std::vector<buffer_call::use>& uses) {
  std::string text;
  for (const buffer_call::use& u : uses) text += (text.empty() ? ": " : ", ") + text_of_use(u);
  return text;
}

std::string text_of_hints(const buffer_call& c) {
  std::string text;
  if (c.hints.is_in_tiles) text += ", in tiles";
  if (c.hints.pieces > 1) text += ", in " + std::to_string(c.hints.pieces) + " pieces";
  if (c.hints.multiple != unit)
    text += fmt::format(", cut at multiples of {}", fmt::join(c.hints.multiple.length, " x "));
  if (c.is_in_groups) text += fmt::format(", in groups of {}", fmt::join(c.group.length, " x "));
  if (c.kinds.are == on(device_kind::host).are) text += ", on the host";
  else if (c.kinds.are) text += ", on a " + objects::text_of(c.kinds);
  if (!c.driver.empty()) text += ", on driver \"" + c.driver + "\"";
  return text;
}

std::string text_of_effects(const std::vector<graph::effect_use>& effects) {
  std::string text;
  for (const graph::effect_use& e : effects) text += (e.is_affected ? ", affects " : ", uses ") + graph::named(e);
  return text;
}

std::string range_of(const buffer_call& c) {
  using detail::nodes_of_task;
  if (c.where == nodes_of_task::collective) return " on all nodes together, group " + std::to_string(c.group_of_nodes);
  return c.where == nodes_of_task::one    ? " on one node"
         : c.where == nodes_of_task::each ? " on each node"
                                          : " over " + c.range.text();
}

}  // namespace

stable_hash& stable_hash::add(std::string_view text) noexcept {
  add(text.size());
  for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(text.size(), 8))) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), std::min<std::size_t>(text.size(), 8));
    add(word);
  }
  return *this;
}

stable_hash& stable_hash::add(const box& b) noexcept {
  for (int a = 0; a < max_axes; ++a)
    add(static_cast<std::uint64_t>(b.min()[a])).add(static_cast<std::uint64_t>(b.max()[a]));
  return *this;
}

std::uint64_t buffer_call::hash() const {
  stable_hash h;
  h.add(std::uint64_t{group_of_nodes} << 16 | static_cast<std::uint64_t>(what) << 8 | static_cast<std::uint64_t>(where))
      .add(name)
      .add(line)
      .add(range);
  for (int a = 0; a < max_axes; ++a)
    h.add(static_cast<std::uint64_t>(group[a])).add(static_cast<std::uint64_t>(hints.multiple[a]));
  h.add(std::uint64_t{hints.pieces} << 16 | std::uint64_t{kinds.are} << 8 | std::uint64_t{is_in_groups} << 1 |
        std::uint64_t{hints.is_in_tiles});
  if (!driver.empty()) h.add(driver);
  h.add(uses.size()).add(effects.size());
  for (const use& u : uses) {
    h.add(std::uint64_t{u.buffer} << 16 | static_cast<std::uint64_t>(u.how) << 8 | std::uint64_t{u.includes_current});
    if (u.how == access::reduce) continue;
    h.add(static_cast<std::uint64_t>(u.by.is) << 8 | static_cast<std::uint64_t>(u.by.axis)).add(u.by.always);
    for (int a = 0; a < max_axes; ++a)
      h.add(static_cast<std::uint64_t>(u.by.border[a])).add(u.by.by[static_cast<std::size_t>(a)]);
  }
  for (const graph::effect_use& e : effects) h.add(e.key());
  for (const double n : numbers) h.add(std::bit_cast<std::uint64_t>(n));
  return h.value();
}

std::string buffer_call::text() const {
  const std::string called = name.empty() ? "" : " \"" + name + "\"";
  switch (what) {
    case verb::launch:
      return "launch of" + called + " over " + range.text() + text_of_hints(*this) + text_of_uses(uses);
    case verb::host_task:
      return "host task" + called + range_of(*this) + text_of_hints(*this) + text_of_effects(effects) +
             text_of_uses(uses);
    case verb::read: return "read of " + range.text() + " of B" + std::to_string(uses.front().buffer);
    case verb::make:
      return "buffer B" + std::to_string(uses.front().buffer) + called + " of " + range.text() +
             fmt::format(", {} bytes an element{}", numbers[0], numbers[2] != 0 ? ", with its content" : "");
    case verb::set_horizons:
      return fmt::format("set_horizons({{.step = {}, .most_parallel = {}}})", numbers[0], numbers[1]);
    case verb::set_weights: return fmt::format("set_weights({{.nodes = {{{}}}}})", fmt::join(numbers, ", "));
    case verb::save: {
      std::string of;
      for (const use& u : uses) of += (of.empty() ? " of B" : ", B") + std::to_string(u.buffer);
      return "save" + of + " as" + called;
    }
    case verb::epoch: return "epoch";
    case verb::end: return "end of the program";
  }
  return {};
}

}  // namespace stretto::buffers
