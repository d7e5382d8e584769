#include "data/instance_refusals.hpp"

#include <stretto/error.hpp>

#include "data/layout.hpp"

#include <string>

#include "event/event_floor.hpp"

namespace stretto::data {

namespace {

std::string bytes_text(std::uint64_t bytes) {
  std::string digits = std::to_string(bytes);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits + " bytes";
}

}  // namespace

void refuse_axes(const detail::instance_request& r, const std::source_location& where) {
  throw error("D05", "the box has more axes than the instance")
      .fact("submitted", where)
      .fact("box", r.box.text())
      .fact("dimensions", std::to_string(r.dimensions))
      .remedy("declare the instance with as many dimensions as the box has");
}

void refuse_strides(const detail::instance_request& r, const std::source_location& where) {
  if (r.strides.size() != r.dimensions)
    throw error("D05", "the strides do not fit the dimensions of the instance")
        .fact("submitted", where)
        .fact("strides", std::to_string(r.strides.size()))
        .fact("dimensions", std::to_string(r.dimensions))
        .remedy("give one stride per axis, in elements");
  std::string text;
  for (const auto s : r.strides) text += (text.empty() ? "" : ", ") + std::to_string(s);
  throw error("D05", "the strides let two elements share memory")
      .fact("submitted", where)
      .fact("box", r.box.text())
      .fact("strides", text + " (elements)")
      .because("each axis must step over everything that the axes with smaller strides reach")
      .remedy("widen the strides, or leave them out for a dense instance");
}

void refuse_address(const detail::instance_request& r, std::uintptr_t behind, const std::source_location& where) {
  throw error("D05", "external memory is not aligned for its element type")
      .fact("submitted", where)
      .fact("alignment", bytes_text(r.alignment))
      .fact("address", "off by " + bytes_text(behind));
}

void require_addressable(const char* what, std::string_view name, const box& elements, std::uint32_t element_bytes,
                         const std::source_location& where) {
  if (is_beyond_addressing(elements, element_bytes)) refuse_size(what, name, elements, element_bytes, where);
}

void refuse_size(const char* what, std::string_view name, const box& elements, std::uint32_t element_bytes,
                 const std::source_location& where) {
  error e("D14", std::string(what) + " of more than 2^62 bytes was requested");
  e.fact("submitted", where);
  if (!name.empty()) e.fact("name", "\"" + std::string(name) + "\"");
  throw std::move(e).fact("box", elements.text()).fact("element", bytes_text(element_bytes));
}

void refuse_memory(const detail::instance_request& r, const data_state& state, const std::source_location& where) {
  if (const memory_space* const space = state.find(r.memory))
    throw error("D04", "a driver's memory was passed for a memory that belongs to no device")
        .fact("submitted", where)
        .fact("memory", space->name())
        .remedy("name the memory of the device whose driver allocated it");
  error e("D04", "an instance cannot be created at a place that is not a memory of this runtime");
  e.fact("submitted", where);
  if (r.memory) e.fact("place", "number " + std::to_string(r.memory.index));
  std::string names;
  for (const auto& m : state.memories) names += (names.empty() ? "" : ", ") + m->name();
  throw std::move(e).fact("memories", names).remedy("choose one of runtime.machine().memories()");
}

failure_ref creation_refused(const detail::instance_record& r, const creation& refused) {
  error e("D03", detail::describe(r) + " does not fit into memory \"" + r.space->name() + "\"");
  e.fact("submitted", r.created)
      .fact("needed", bytes_text(refused.bytes))
      .fact("free", bytes_text(refused.free_bytes))
      .fact("largest", bytes_text(refused.largest_block) + " in one block")
      .fact("capacity", bytes_text(r.space->capacity()));
  if (refused.bytes > r.space->capacity())
    std::move(e).because("the memory is smaller than the instance").remedy("use smaller instances or another memory");
  else if (refused.bytes <= refused.free_bytes)
    e.because("the free memory is fragmented")
        .remedy("destroy adjacent instances first, or create large instances before small ones");
  else
    e.because("no destruction that was submitted earlier is still pending")
        .remedy("destroy instances before this creation is submitted, or use smaller ones");
  return detail::make_failure(std::make_exception_ptr(std::move(e)), detail::describe(r), r.created);
}

}  // namespace stretto::data
