#include "mobile/malformed_messages.hpp"

#include <algorithm>

namespace stretto::mobiles {
namespace {

bool is_of_no_node(object_id id, const home_nodes& homes) noexcept {
  return id == object_id{} || homes.home_of(id) == no_rank;
}

}  // namespace

bool is_malformed(const message_header& h, const home_nodes& homes) noexcept {
  return h.from >= homes.nodes() || h.target >= homes.nodes() || h.action > message_action::migrate ||
         h.pins_object > 1 || h.unused || is_of_no_node(h.object, homes);
}

bool is_malformed(const migration_header& h, const home_nodes& homes) noexcept {
  return is_of_no_node(h.object, homes);
}

bool is_malformed(const reply_header& h, const home_nodes&) noexcept {
  return h.cause ? h.attachments.has_value() : h.is_permanent;
}

bool is_malformed(const broadcast_message& m, const home_nodes& homes) noexcept {
  const broadcast_header& h = m.header;
  if (is_of_no_node(h.first, homes)) return true;
  if (h.action != message_action::handle && h.action != message_action::destroy) return true;
  if (m.nodes.empty() || m.nodes.front().node != homes.self()) return true;
  // All objects of a broadcast have one home node.
  const auto leaves_home = [&](const message_run& r) {
    return r.index >> object_count_bits || !r.count ||
           maker_of(id_after(h.first, r.index + r.count - 1)) != maker_of(h.first);
  };
  return std::ranges::any_of(m.nodes, [&](const node_messages& n) { return std::ranges::any_of(n.runs, leaves_home); });
}

bool is_malformed(const object_migration& m, const home_nodes& homes) noexcept {
  const auto is_of_another_object = [&](const migrated_message& one) {
    return is_malformed(one.header, homes) || one.header.object != m.header.object;
  };
  const auto has_empty_refusal = [](const migrated_sender& s) {
    return std::ranges::any_of(s.refused, [](const migrated_refusal& r) { return !r.cause; });
  };
  return is_malformed(m.header, homes) || std::ranges::any_of(m.messages.all, is_of_another_object) ||
         std::ranges::any_of(m.senders.all, has_empty_refusal);
}

bool is_malformed(const aggregated_replies& m, const home_nodes&) noexcept {
  return std::ranges::any_of(m.replies, [](const aggregated_reply& r) { return r.is_permanent && !r.cause; });
}

}  // namespace stretto::mobiles
