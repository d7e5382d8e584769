// buffer_resize.cpp - resizes buffers: copies the elements that old and new extents share, without moving them between
// nodes.
#include <stretto/buffer.hpp>
#include <stretto/forasync.hpp>
#include <stretto/kernel.hpp>

#include <cstring>

#include "buffers/buffers_state.hpp"
#include "buffers/launch_pipeline.hpp"

namespace stretto::buffers {
namespace {

// Elements are copied as words of their size. Arrays of fewer axes are copied as arrays of three whose last extents are
// one.
using std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t;
STRETTO_KERNEL(resize_by_1, (in<uint8_t, 3> from, out<uint8_t, 3> to),
               { to(global_id(0), global_id(1), global_id(2)) = from(global_id(0), global_id(1), global_id(2)); })
STRETTO_KERNEL(resize_by_2, (in<uint16_t, 3> from, out<uint16_t, 3> to),
               { to(global_id(0), global_id(1), global_id(2)) = from(global_id(0), global_id(1), global_id(2)); })
STRETTO_KERNEL(resize_by_4, (in<uint32_t, 3> from, out<uint32_t, 3> to),
               { to(global_id(0), global_id(1), global_id(2)) = from(global_id(0), global_id(1), global_id(2)); })
STRETTO_KERNEL(resize_by_8, (in<uint64_t, 3> from, out<uint64_t, 3> to),
               { to(global_id(0), global_id(1), global_id(2)) = from(global_id(0), global_id(1), global_id(2)); })

const kernel_code* copy_of_words(std::uint32_t bytes) {
  switch (bytes) {
    case 1: return &resize_by_1.code();
    case 2: return &resize_by_2.code();
    case 4: return &resize_by_4.code();
    case 8: return &resize_by_8.code();
    default: return nullptr;
  }
}

}  // namespace
}  // namespace stretto::buffers

namespace stretto::detail {

using namespace buffers;

void for_parts_of(const box& all, const std::function<void(const box& part)>& f) {
  join_and_get(forasync(all, [&f](const box& part) { f(part); }), std::source_location::current());
}

namespace {

void copy_part(const buffer_handle& from, const buffer_handle& to, const box& part, const std::source_location& where) {
  const range_mapper alike = {.is = range_mapper::kind::one_to_one};
  if (const kernel_code* const code = copy_of_words(from->type.bytes)) {
    const buffer_item items[] = {{.buffer = &from, .by = &alike}, {.buffer = &to, .by = &alike}};
    buffer_launch request;
    request.name = "resize";
    launch_on_buffers(*code, kernel_range(part, where), items, request);
    return;
  }
  const host_use_item items[] = {{&from, &alike, access::in}, {&to, &alike, access::out}};
  host_task_request request;
  request.name = "resize";
  run_host_task(
      nodes_of_task::chunks, part, items,
      [](const box& chunk, std::span<const host_elements> given) {
        for_parts_of(chunk, [&](const box& piece) {
          for (coordinate i = piece.min()[0]; i < piece.max()[0]; ++i)
            for (coordinate j = piece.min()[1]; j < piece.max()[1]; ++j)
              for (coordinate k = piece.min()[2]; k < piece.max()[2]; ++k)
                std::memcpy(given[1].first + given[1].shape.offset_of({i, j, k}),
                            given[0].first + given[0].shape.offset_of({i, j, k}), given[0].shape.element_bytes);
        });
      },
      request, where);
}

}  // namespace

buffer_handle resize_buffer(const buffer_handle& h, const box& elements, std::string_view name,
                            const std::source_location& where) {
  const box common = intersection(elements_of(h, where), elements);
  const std::string_view its_name = name.empty() ? std::string_view(h->name) : name;
  const buffer_handle made =
      make_buffer({elements, h->type.dimensions, h->type.bytes, h->type.alignment, its_name, nullptr}, where);
  region there;
  {
    const drained_submission_lock held(*h->state, where);
    there = h->state->commands.written(h->id, common);
  }
  for (const box& part : there.boxes()) copy_part(h, made, part, where);
  return made;
}

}  // namespace stretto::detail
