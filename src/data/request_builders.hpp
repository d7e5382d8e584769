// request_builders.hpp - builds and checks the request of a data operation: once per call, or once per replay.
//
// Threads     any thread of the runtime.
// Errors      errors that can be detected now are thrown here: D01, D06, D11, D13, D17.
#pragma once

#include <stretto/copy.hpp>

#include "data/operation.hpp"

namespace stretto::data {

operation_request copy_request(const detail::instance_handle& to, const detail::instance_handle& from,
                               base::thread_context& context, const std::source_location& where);
operation_request copy_request(const detail::instance_handle& to, const detail::instance_handle& from,
                               std::span<const box> boxes, const point& shift, base::thread_context& context,
                               const std::source_location& where);
operation_request fill_request(const detail::instance_handle& to, const box* part, const void* value, std::size_t bytes,
                               base::thread_context& context, const std::source_location& where);
operation_request indexed_request(detail::indexed way, const detail::instance_handle& dense,
                                  const detail::instance_handle& table, const detail::instance_handle& indices,
                                  detail::index_kind kind, base::thread_context& context,
                                  const std::source_location& where);

operation_request reduce_held_request(const detail::instance_handle& from, const detail::instance_handle& to,
                                      const detail::reduction_kind& kind, base::thread_context& context,
                                      const std::source_location& where);
operation_request reduce_values_request(const detail::instance_handle& from, const detail::instance_handle& to,
                                        const box* part, const detail::reduction_kind& kind,
                                        base::thread_context& context, const std::source_location& where);
operation_request fold_request(const detail::instance_handle& from, const detail::instance_handle& to,
                               std::uint32_t contributor, const detail::reduction_kind& kind,
                               base::thread_context& context, const std::source_location& where);
/// Folds all right-hand sides of an array on the host.
operation_request fold_array_request(const detail::instance_handle& array, const detail::instance_handle& to,
                                     std::uint32_t contributor, const detail::reduction_kind& kind,
                                     const std::source_location& where);
operation_request clear_request(const detail::instance_handle& h, base::thread_context& context,
                                const std::source_location& where);

}  // namespace stretto::data
