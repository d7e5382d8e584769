#include "data/cross_process_copy.hpp"

#include <stretto/copy.hpp>

#include "data/data_state.hpp"
#include "data/instances.hpp"
#include "data/program_bytes.hpp"
#include "event/when_ended.hpp"

namespace stretto::data {

std::optional<exported_device_elements> export_for_import(const detail::instance_record& r,
                                                          base::thread_context& context) {
  const device::device* const d = r.space ? r.space->of() : nullptr;
  if (!d || r.is_borrowed || !state_of(context).imported || is_for_messages(r, context)) return {};
  const std::span<const std::byte> token = d->exported();
  if (token.empty()) return {};
  return exported_device_elements{{token.begin(), token.end()},
                                  d->about().memory_bytes,
                                  static_cast<std::uint64_t>(r.first - d->memory()),
                                  r.shape,
                                  r.dimensions};
}

bool can_import(const exported_device_elements& from, std::uint16_t of, base::thread_context& context) {
  imported_memories* const all = state_of(context).imported.get();
  return all && all->find(from, of, nullptr);
}

imported_memories::shared memory_of(const exported_device_elements& from, std::uint16_t of,
                                    const detail::instance_record& target, base::thread_context& context) {
  const data_state& state = state_of(context);
  if (!state.imported) return nullptr;
  if (is_on_host(target.space)) return state.imported->find(from, of, nullptr);
  device::attached_device* const its = state.settings.devices->at(target.space->where());
  return its ? state.imported->find(from, of, its) : nullptr;
}

event copy_from(const imported_memories::shared& in, const exported_device_elements& from,
                const detail::instance_handle& to, std::span<const box> boxes, const point& shift,
                const std::source_location& where) {
  base::thread_context& context = base::require_current("copy");
  const data_state& state = state_of(context);
  const detail::instance_handle theirs = make_stand_in(
      {from.shape, from.dimensions, state.find(in->by().memory()), in->first() + from.first, "of another node"},
      context);
  event done;
  try {
    done = detail::copy_boxes(to, theirs, boxes, shift, {}, where);
  } catch (...) {
    end_stand_in(theirs, context);
    throw;
  }
  state.imported->copies.fetch_add(1, std::memory_order_relaxed);
  detail::when_ended(done, context,
                     [in, theirs](const failure*, base::thread_context& on) { end_stand_in(theirs, on); });
  return done;
}

}  // namespace stretto::data
