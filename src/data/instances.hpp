// instances.hpp - how instances come to be and go: creations and destructions that wait.
//
// Threads     any thread of the runtime.
// Cost        see instance.hpp; what waits takes one pooled block and one event.
// Invariants  a destruction runs whatever its preconditions' end, after the creation has ended, and frees once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/data_state.hpp"
#include "data/deferred.hpp"
#include "sched/profile_state.hpp"

namespace stretto::data {

struct deferred_creation final : deferred, creation {
  explicit deferred_creation(detail::instance_record& r);
  detail::instance_record* record;
  std::unique_ptr<sched::profile_state> profile;  // if someone asked
};

struct deferred_destruction final : deferred, destruction {
  explicit deferred_destruction(detail::instance_record& r);
  detail::instance_record* record;
  event done;
  std::unique_ptr<sched::profile_state> profile;
};

/// What another node has to know of an instance in global memory.
struct global_instance {
  layout shape;
  std::uint8_t dimensions = 1;
  std::byte* first = nullptr;  // as its record has it
  std::string name;
};
/// Of a near handle; nothing if it is not in global memory, does not exist yet, or no more.
std::optional<global_instance> global_instance_of(const detail::instance_handle& h, base::thread_context& context);
/// An instance over elements that another node has made, which this one has at `first` in `in`; and its end, which leaves them alone.
struct elements_of_another {
  layout shape;
  std::uint8_t dimensions = 1;
  memory_space* in = nullptr;
  std::byte* first = nullptr;
  std::string_view name = {};
};
detail::instance_handle make_stand_in(const elements_of_another& of, base::thread_context& context);
detail::instance_handle make_stand_in(const global_instance& of, base::thread_context& context);
void end_stand_in(const detail::instance_handle& h, base::thread_context& context) noexcept;

/// As create_instance, at an address of its memory if nothing lies there.
detail::instance_handle create_where(const detail::instance_request& request, const wish& at, const preconditions& after,
                                     const std::source_location& where);

}  // namespace stretto::data
