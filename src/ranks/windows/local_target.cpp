#include "ranks/windows/local_target.hpp"

#include "ranks/datatypes/data_part.hpp"
#include "ranks/process/rank.hpp"
#include "ranks/special_ranks.hpp"
#include "ranks/windows/window_update.hpp"

namespace stretto::ranks {
namespace {

data_part part_of(const origin_data& data) {
  return data.type ? data_part(data.memory, data.count, *data.type) : data_part();
}

world_rank calling_rank() {
  const rank* const one = rank::current();
  return one ? one->number() : world_rank{no_rank};
}

}  // namespace

request_owner local_target::begin(const window_operation& operation) {
  const target_place& place = operation.target;
  if (place.bytes() == 0) return nullptr;
  std::byte* const target = memory.address_of(place);
  switch (operation.kind) {
    case access_kind::put: copy_part({target, place.count, *place.type}, part_of(operation.origin)); break;
    case access_kind::get: copy_part(part_of(operation.result), {target, place.count, *place.type}); break;
    case access_kind::accumulate:
    case access_kind::get_accumulate: accumulate(operation, target); break;
    case access_kind::compare_and_swap:
      exchange_value(target, {operation.origin.memory, operation.expected, operation.result.memory, place.type->size()},
                     combining_);
  }
  return nullptr;
}

void local_target::accumulate(const window_operation& operation, std::byte* target) {
  const element_update update(*operation.operation, *operation.target.type);
  update_elements(
      update,
      {part_of(operation.origin), {target, operation.target.count, *operation.target.type}, part_of(operation.result)},
      combining_);
}

void local_target::lock(lock_mode mode, const std::source_location& where) {
  lock_request r(mode, calling_rank());
  lock_.acquire(r);
  wait_for(r, where);
}

target_call_owner local_target::start_unlock(const std::source_location&) {
  release(calling_rank());
  return nullptr;
}

}  // namespace stretto::ranks
