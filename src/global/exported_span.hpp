// exported_span.hpp - memory of the program as an array that other nodes can read.
//
// Threads     any.
#pragma once

#include <cstdint>

#include "data/attachments.hpp"
#include "data/program_bytes.hpp"

namespace stretto::global {

/// A pointer whose last copy destroys the instance.
inline std::shared_ptr<const void> instance_owner(const detail::instance_handle& in,
                                                  const std::source_location& where) {
  return {in.record, [in, where](const void*) {
            base::thread_context* const here = base::current();
            if (!here) return;
            const event ordered = data::ordered_unseen(*here, where);
            detail::destroy_instance(in, after_range{{&ordered, 1}}, where);
          }};
}

class exported_span final : public data::attached_array {
 public:
  /// Dense in C order. The program owns the memory and must keep it until the last reader is done.
  exported_span(std::byte* first, const box& all, std::uint8_t dimensions, std::uint32_t element_bytes) noexcept
      : first_(first), all_(all), dimensions_(dimensions), element_bytes_(element_bytes) {}

  void export_elements(const box&, const std::source_location& where, on_exported then,
                       base::thread_context& context) override {
    const detail::instance_handle in = detail::create_instance({.memory = {},
                                                                .external = first_,
                                                                .box = all_,
                                                                .dimensions = dimensions_,
                                                                .element_bytes = element_bytes_,
                                                                .name = "span"},
                                                               {}, where);
    then(in, instance_owner(in, where), {}, context);
  }

 private:
  std::byte* const first_;
  const box all_;
  const std::uint8_t dimensions_;
  const std::uint32_t element_bytes_;
};

}  // namespace stretto::global
