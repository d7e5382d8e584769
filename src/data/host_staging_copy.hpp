// host_staging_copy.hpp - a temporary array in host memory for elements of an instance in another memory. It is freed
// after the last event given to until().
//
// Threads     one task.
#pragma once

#include <stretto/copy.hpp>

#include "data/data_state.hpp"
#include "data/instance_record.hpp"

namespace stretto::data {

class host_staging_copy {
 public:
  host_staging_copy(const detail::instance_handle& like, const box& part, const data_state& state,
                    const std::source_location& where)
      : where_(where),
        handle_(detail::create_instance({.memory = state.memories.front()->where(),
                                         .box = part,
                                         .dimensions = like.record->dimensions,
                                         .element_bytes = like.record->shape.element_bytes,
                                         .name = like.record->name.data()},
                                        {}, where)) {}
  host_staging_copy(const host_staging_copy&) = delete;
  ~host_staging_copy() { detail::destroy_instance(handle_, after_range{{&last_, 1}}, where_); }

  const detail::instance_handle& handle() const noexcept { return handle_; }
  event until(event e) noexcept { return last_ = e; }

 private:
  const std::source_location where_;
  const detail::instance_handle handle_;
  event last_;
};

}  // namespace stretto::data
