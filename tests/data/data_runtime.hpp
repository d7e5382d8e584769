// data_runtime.hpp - a runtime with memories chosen by the test.
#pragma once

#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <memory>
#include <string>

#include "base/context.hpp"
#include "data/data_floor.hpp"
#include "function_reference.hpp"
#include "thrown_by.hpp"

namespace stretto::data {

using test::thrown_by;

inline constexpr place ram{1}, other{2}, far{3};

struct test_options {
  std::uint32_t workers = 2;
  std::uint64_t ram_bytes = 64 << 20, other_bytes = 64 << 20, far_bytes = 64 << 20;
  place_kind other_kind = place_kind::numa, far_kind = place_kind::pinned_memory;
  std::shared_ptr<const places::channel_registry> channels = nullptr;
  std::uint64_t inline_bytes = 16 << 10, part_bytes = 512 << 10, staging_bytes = 1 << 20;
};

/// Runs `body` inside a runtime whose memories are "ram", "other" and "far".
inline void with_data(test::function_reference<void()> body, const test_options& o = {}) {
  runtime_options options;
  options.workers = o.workers;
  runtime rt(options);
  base::runtime_context* context = nullptr;
  rt.run([&] {
    context = base::current()->runtime;
    if (context->get<void>(base::floor_slot::data)) stop_data(*context);  // the machine's own memories
    start_data(*context, data_settings{.memories = {{ram, "ram", place_kind::system_memory, o.ram_bytes},
                                                    {other, "other", o.other_kind, o.other_bytes},
                                                    {far, "far", o.far_kind, o.far_bytes}},
                                       .channels = o.channels,
                                       .tasks = nullptr,
                                       .width = o.workers,
                                       .inline_bytes = o.inline_bytes,
                                       .part_bytes = o.part_bytes,
                                       .staging_bytes = o.staging_bytes});
  });
  rt.run([&] { body(); });
  rt.run([&] { stop_data(*context); });
}

/// Removes the line numbers of `submitted`, `destroyed` and `created`, which move with the test's text.
inline std::string without_lines(std::string text) {
  for (std::size_t at = 0; (at = text.find("_test.cpp:", at)) != std::string::npos;) {
    at += 10;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') text.erase(at, 1);
  }
  return text;
}

}  // namespace stretto::data
