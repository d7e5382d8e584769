#include "data/data_state.hpp"

#include <utility>

#include "data/attachments.hpp"
#include "data/imported_memories.hpp"
#include "data/order_check.hpp"
#include "data/staging_buffer.hpp"
#include "device/device_set.hpp"

namespace stretto::data {

namespace {
constexpr std::size_t rounded_to_line(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
}  // namespace

data_state::data_state(base::runtime_context& context, data_settings s, std::size_t operation_bytes)
    : runtime(context),
      settings(std::move(s)),
      checks(dynamic_cast<order_check*>(context.observer)),
      records(rounded_to_line(sizeof(detail::instance_record))),
      operations(rounded_to_line(operation_bytes), settings.recycles),
      device_operations(device_operation_bytes, settings.recycles),
      attached(std::make_shared<attachments>()),
      imported(settings.devices && settings.device_messages && !checks
                   ? std::make_unique<imported_memories>(*settings.devices, settings.inform)
                   : nullptr) {
  if (checks) checks->forget_instances();  // of a floor that has ended
  std::vector<device::device*> faster;     // devices that copy page-locked memory faster
  if (settings.devices)
    for (const auto& d : settings.devices->all())
      if (d->is().about().copies_page_locked_faster) faster.push_back(&d->is());
  for (const memory_description& m : settings.memories) {
    memories.push_back(m.of                ? std::make_unique<memory_space>(m.where, m.name, m.kind, *m.of)
                       : !m.folder.empty() ? std::make_unique<memory_space>(m.where, m.name, m.kind, m.folder)
                       : m.first ? std::make_unique<memory_space>(m.where, m.name, m.kind, m.first, m.capacity_bytes)
                                 : std::make_unique<memory_space>(m.where, m.name, m.kind, m.capacity_bytes));
    if (m.locked_bytes && !faster.empty()) memories.back()->lock_pages_for(faster, m.locked_bytes);
    if (by_place.size() <= m.where.index) by_place.resize(m.where.index + 1);
    by_place[m.where.index] = memories.back().get();
  }
  staging = std::make_shared<staging_memory>(std::move(faster),
                                             settings.memories.empty() ? 0 : settings.memories.front().locked_bytes);
  for (const memory_description& m : settings.places)
    distant.push_back(is_near_host_memory(m.kind) ? nullptr
                                                  : std::make_unique<memory_space>(m.where, m.name, m.kind, 0));
}

data_state::~data_state() = default;

thread_data& enter_data(base::thread_context& thread) {
  data_state& state = state_of(thread);
  auto share = std::make_unique<thread_data>(state);
  thread_data& made = *share;
  std::scoped_lock lock(state.mutex);
  state.shares.push_back(std::move(share));
  thread.set(base::floor_slot::data, &made);
  return made;
}

}  // namespace stretto::data
