#include "buffers/call_signatures.hpp"

namespace stretto::buffers {
namespace {

buffer_call::use use_of(const buffer_record& b, access how, const detail::range_mapper* by, bool includes_current) {
  buffer_call::use u{.buffer = b.id.number,
                     .dimensions = b.type.dimensions,
                     .how = how,
                     .by = {},
                     .includes_current = includes_current};
  if (by)  // without the custom function
    u.by = {.is = by->is, .border = by->border, .axis = by->axis, .always = by->always, .by = by->by};
  return u;
}

shared_signature known(buffer_call c) { return std::make_shared<const call_signature>(std::move(c)); }

}  // namespace

shared_signature signature_of_launch(const kernel_code& code, const kernel_range& range,
                                     std::span<const detail::buffer_item> items, const detail::buffer_launch& request) {
  buffer_call c{.what = buffer_call::verb::launch,
                .name = std::string(code.name),
                .line = code.line,
                .range = range.ids,
                .is_in_groups = range.is_of_groups,
                .group = range.group,
                .kinds = request.kinds,
                .driver = std::string(request.driver),
                .hints = request.hints};
  for (std::size_t i = 0; i < items.size(); ++i)
    if (const detail::buffer_item& item = items[i]; item.buffer)
      c.uses.push_back(
          use_of(**item.buffer, item.fold ? access::reduce : code.parameters[i].mode, item.by, item.includes_current));
  return known(std::move(c));
}

shared_signature signature_of_host_task(detail::task_nodes which, const box& range,
                                        std::span<const detail::host_use_item> items,
                                        std::span<const graph::effect_use> effects, const detail::range_hints& hints) {
  buffer_call c{.what = buffer_call::verb::host_task,
                .where = which.are,
                .group_of_nodes = which.group,
                .range = range,
                .hints = hints,
                .effects = {effects.begin(), effects.end()}};
  for (const detail::host_use_item& item : items)
    c.uses.push_back(use_of(**item.buffer, item.how, item.by, item.includes_current));
  return known(std::move(c));
}

shared_signature signature_of_read(const buffer_record& b, const box& part) {
  return known({.what = buffer_call::verb::read, .range = part, .uses = {use_of(b, access::in, nullptr, true)}});
}

shared_signature signature_of_make(const buffer_record& b, bool has_content) {
  return known({.what = buffer_call::verb::make,
                .range = b.elements,
                .uses = {use_of(b, access::out, nullptr, true)},
                .numbers = {double(b.type.bytes), double(b.type.dimensions), double(has_content)}});
}

}  // namespace stretto::buffers
