// instances.hpp - creates and destroys instances, after preconditions.
//
// Threads     any thread of the runtime.
// Cost        see instance.hpp; a deferred call takes one pooled block and one event.
// Invariants  a destruction runs even if its preconditions fail, after the creation has ended, and frees the memory
//             once.
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
  std::unique_ptr<sched::profile_state> profile;  // if a profile was requested
};

struct deferred_destruction final : deferred, destruction {
  explicit deferred_destruction(detail::instance_record& r);
  detail::instance_record* record;
  event done;
  std::unique_ptr<sched::profile_state> profile;
};

/// Facts about an instance in global memory that other nodes need.
struct global_instance {
  layout shape;
  std::uint8_t dimensions = 1;
  std::byte* first = nullptr;  // as in its record
  std::string name;
};
/// Of a local handle. Nothing if the instance is not in global memory, does not exist yet, or was destroyed.
std::optional<global_instance> global_instance_of(const detail::instance_handle& h, base::thread_context& context);
/// A stand-in: an instance over elements that another node has created, at `first` in `in` here. end_stand_in does
/// not free the elements.
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

/// Like create_instance, at an address of its memory if that is free.
detail::instance_handle create_where(const detail::instance_request& request, const placement_hint& at,
                                     const preconditions& after, const std::source_location& where);

}  // namespace stretto::data
