#include <stretto/async_copy.hpp>

#include <stretto/error.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "data/host_channel.hpp"
#include "data/operation.hpp"

namespace stretto {

using data::operation_request;
using detail::instance_record;

namespace {

void run_async_copy(const operation_request& r, unsigned part, unsigned parts) {
  const std::uint64_t from = r.bytes / parts * part;
  const std::uint64_t to = part + 1 == parts ? r.bytes : r.bytes / parts * (part + 1);
  if (to > from) std::memcpy(r.used[0].record->first + from, r.used[1].record->first + from, to - from);
}

constexpr data::operation_kind async_copy_kind{"async_copy", trace::kind::copy, run_async_copy,
                                               data::operation_kind::cut::allowed, true};

/// The memory of a place that loads and stores do not reach; null if they do.
data::memory_space* space_of(place p, const data::data_state& state, const std::source_location& where) {
  if (!p) return nullptr;
  if (p.index < state.distant.size()) return state.distant[p.index].get();
  throw error("D20", "async_copy names place " + std::to_string(p.index) + ", which this runtime does not have")
      .fact("submitted", where)
      .because("the platform has places 0 to " + std::to_string(state.distant.size() - 1))
      .remedy("use places of runtime.machine()");
}

/// One end of the copy, as an instance of bytes without a handle.
instance_record& bare_instance(place at, data::memory_space* space, const void* address, std::size_t bytes,
                               const data::data_state& state, base::thread_context& context) {
  auto& r = *::new (data::share_of(context).records.allocate()) instance_record;
  r.is_bare = true;
  r.first = static_cast<std::byte*>(const_cast<void*>(address));
  r.shape = {box(0, static_cast<coordinate>(bytes)), point(1, 0, 0), 1};
  r.space = space;
  const std::string_view name = at ? std::string_view(state.settings.places[at.index].name) : "an address";
  name.copy(r.name.data(), r.name.size() - 1);
  constexpr std::uint64_t key = 1;  // as live: the instance lives as long as its operation
  r.live.store(key, std::memory_order_relaxed);
  r.key.store(key, std::memory_order_relaxed);
  return r;
}

}  // namespace

event async_copy(place to, void* target, place from, const void* source, std::size_t bytes, const preconditions& after,
                 std::source_location where) {
  base::thread_context& context = base::require_current("async_copy");
  const data::data_state& state = data::state_of(context);
  data::memory_space* const target_space = space_of(to, state, where);
  data::memory_space* const source_space = space_of(from, state, where);
  const bool in_reach = !target_space && !source_space;
  const auto first = reinterpret_cast<std::uintptr_t>(target), second = reinterpret_cast<std::uintptr_t>(source);
  if (target_space == source_space && first < second + bytes && second < first + bytes)
    throw error("D11", "async_copy reads and writes the same bytes")
        .fact("submitted", where)
        .fact("overlap", std::to_string(bytes - (first > second ? first - second : second - first)) + " of " +
                             std::to_string(bytes) + " bytes")
        .remedy("copy through a second buffer");
  if (in_reach && bytes <= state.settings.inline_bytes && !after.profile) {
    const data::precondition_state o = data::state_of_preconditions(after, {}, context);
    if (!o.pending && !o.cause) {
      if (bytes) std::memcpy(target, source, bytes);
      return {};
    }
  }
  operation_request r;
  r.kind = &async_copy_kind;
  r.used[0] = {&bare_instance(to, target_space, target, bytes, state, context), 1};
  r.used[1] = {&bare_instance(from, source_space, source, bytes, state, context), 1};
  r.used_count = 2;
  r.owns_ends = true;
  r.first_box = r.used[0].record->shape.box;
  r.bytes = bytes;
  r.where = where;
  try {
    return data::submit(std::move(r), after, context);
  } catch (...) {
    data::free_ends(r, context);
    throw;
  }
}

}  // namespace stretto
