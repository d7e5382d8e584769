#include "data/other_nodes.hpp"

#include <stretto/copy.hpp>
#include <stretto/error.hpp>

#include <string>

#include "base/node_numbers.hpp"
#include "data/data_state.hpp"

namespace stretto {

using detail::instance_handle;

namespace data {
namespace {

std::uint16_t number_in(const instance_handle& h) noexcept { return static_cast<std::uint16_t>(h.key >> 48); }

/// The implementation to ask about an instance that is not local.
other_nodes& others_for(const instance_handle& h, const char* verb, base::thread_context& context,
                        const std::source_location& where) {
  if (!h.record)
    throw error("D13", std::string(verb) + " was given an instance handle that is empty")
        .fact("submitted", where)
        .remedy("create the instance first: a default-constructed handle is empty");
  other_nodes* const others = state_of(context).others;
  if (!others || !others->reaches(number_in(h)))
    throw error("D13", std::string(verb) + " was given an instance of another runtime")
        .fact("submitted", where)
        .fact("owner", base::node_name(number_in(h)))
        .fact("called on", base::node_name(context.runtime->node));
  return *others;
}

place main_memory(const data_state& state) noexcept {
  return state.memories.empty() ? place{} : state.memories.front()->where();
}

/// Whether `node` is another node; throws N02 if there is no such node.
bool is_elsewhere(std::uint32_t node, const data_state& state, const std::source_location& where) {
  const std::uint32_t nodes = state.others ? state.others->nodes() : 1;
  if (node >= nodes) throw base::no_such_node(node, nodes, where);
  return node != (state.others ? state.others->self() : 0);
}

}  // namespace

const char* word_of(remote_operation_request::action v) noexcept {
  constexpr const char* words[] = {"copy",   "fill",      "gather", "scatter", "reduce",
                                   "reduce", "fold_into", "clear",  "destroy", "ready"};
  return words[static_cast<std::size_t>(v)];
}

void set_other_nodes(base::runtime_context& runtime, other_nodes* others) noexcept {
  runtime.get<data_state>(base::floor_slot::data)->others = others;
}

instance_handle local_by_name(const instance_handle& h, const char* verb, base::thread_context& context,
                              const std::source_location& where) {
  other_nodes& others = others_for(h, verb, context, where);
  if (number_in(h) == context.runtime->node) {
    const instance_handle found = others.near(h, verb, where);
    if (found.record) return found;
    throw error("D09", "an instance was used before the request to create it had arrived on its node")
        .fact("submitted", where)
        .because("its handle came through another node and arrived earlier")
        .remedy("let this operation wait for the event that create returned");
  }
  throw error("D24", std::string(verb) + " was given an instance of another node")
      .fact("submitted", where)
      .fact("owner", "node " + std::to_string(others.index_of(number_in(h))))
      .fact("called on", "node " + std::to_string(others.self()))
      .because("only the node of an instance can access its elements and run kernels on it")
      .remedy(
          "send a function there: async(at_node(x.node()), call<&f>(x)), or copy the elements to an instance of this "
          "node");
}

instance_facts facts_of(const detail::instance_record& r) {
  return {r.shape, r.space ? r.space->where() : place{}, r.name.data()};
}

std::shared_ptr<const instance_facts> facts_elsewhere(const instance_handle& h, const char* verb,
                                                      base::thread_context& context,
                                                      const std::source_location& where) {
  if (!h.record || number_in(h) == context.runtime->node) return nullptr;
  return others_for(h, verb, context, where).facts(h, verb, where);
}

event ask(remote_operation_request r, const preconditions& after, base::thread_context& context,
          const std::source_location& where) {
  other_nodes* others = nullptr;
  bool all_local = true;
  remote_operation_request here = r;  // with stand-ins for instances of other nodes
  for (unsigned i = 0; i < r.used_count; ++i) {
    instance_handle& h = r.used[i];
    if (is_local(h, context) && h.record) continue;
    others = &others_for(h, word_of(r.what), context, where);
    if (number_in(h) == context.runtime->node) {
      if (const instance_handle found = others->near(h, word_of(r.what), where); found.record) h = found;
      here.used[i] = is_local(h, context) ? h : instance_handle();
    } else {  // only its node destroys an instance
      here.used[i] = r.what == remote_operation_request::action::destroy ? instance_handle() : others->stand_in(h);
    }
    all_local = all_local && here.used[i].record;
  }
  return all_local ? run_here(here, after, where) : others->submit(r, after, where);
}

event run_here(const remote_operation_request& r, const preconditions& after, const std::source_location& where) {
  using verb = remote_operation_request::action;
  const auto& [first, second, third] = r.used;
  const box* const part = r.is_whole ? nullptr : r.boxes.data();
  switch (r.what) {
    case verb::copy:
      return r.is_whole ? detail::copy_whole(first, second, after, where)
                        : detail::copy_boxes(first, second, r.boxes, r.shift, after, where);
    case verb::fill: return detail::fill_box(first, part, r.value.data(), r.value.size(), after, where);
    case verb::gather:
      return detail::move_indexed(detail::indexed::gather, first, second, third, r.indices, after, where);
    case verb::scatter:
      return detail::move_indexed(detail::indexed::scatter, first, second, third, r.indices, after, where);
    case verb::reduce_held: return detail::reduce_held(second, first, *r.kind, after, where);
    case verb::reduce_values: return detail::reduce_values(second, first, part, *r.kind, after, where);
    case verb::fold: return detail::fold_held(second, first, r.contributor, *r.kind, after, where);
    case verb::clear: return detail::clear_held(first, after, where);
    case verb::destroy: return detail::destroy_instance(first, after, where);
    case verb::ready: return detail::ready_event(first, where);
  }
  return {};
}

const std::shared_ptr<attachments>& attachments_of(const base::thread_context& context) noexcept {
  return state_of(context).attached;
}

kept_attachments keep_for(std::uint32_t node, std::vector<std::shared_ptr<const void>>&& along,
                          const base::thread_context& context) {
  if (along.empty()) return {};
  remote_attachments* const others = attachments_of(context)->others;
  return others ? others->keep_for(node, std::move(along)) : kept_attachments();
}

void acknowledge_message(std::uint32_t sender, kept_attachments message, const base::thread_context& context) {
  if (message != kept_attachments()) attachments_of(context)->others->acknowledge_message(sender, message);
}

}  // namespace data

namespace detail {

made_elsewhere create_instance_at(std::uint32_t node, const instance_request& request, const preconditions& after,
                                  const std::source_location& where) {
  base::thread_context& context = base::require_current("create");
  data::data_state& state = data::state_of(context);
  if (data::is_elsewhere(node, state, where)) return state.others->create(node, request, after, where);
  instance_request here = request;
  if (!here.memory) here.memory = data::main_memory(state);
  const instance_handle made = create_instance(here, after, where);
  return {made, ready_event(made, where)};
}

instance_handle create_reduction_at(std::uint32_t node, place memory, const box& elements, std::uint8_t dimensions,
                                    const reduction_kind& kind, const reduction_options& options,
                                    const std::source_location& where) {
  data::data_state& state = data::state_of(base::require_current("create"));
  if (!data::is_elsewhere(node, state, where))
    return create_reduction(memory ? memory : data::main_memory(state), elements, dimensions, kind, options, where);
  return state.others->create_reduction(node,
                                        {.memory = memory,
                                         .box = elements,
                                         .dimensions = dimensions,
                                         .element_bytes = kind.rhs_bytes,
                                         .holds = storage::by_contributors,
                                         .name = options.name},
                                        kind, options.style, where);
}

instance_handle handle_here(const instance_handle& h, const char* verb, const std::source_location& where) {
  return data::local_handle(h, verb, base::require_current(verb), where);
}

std::uint32_t node_of(const instance_handle& h, const std::source_location& where) {
  base::thread_context& context = base::require_current("node");
  const data::other_nodes* const others = data::state_of(context).others;
  if (h.record && data::number_in(h) == context.runtime->node) return others ? others->self() : 0;
  return data::others_for(h, "node", context, where).index_of(data::number_in(h));
}

}  // namespace detail
}  // namespace stretto
