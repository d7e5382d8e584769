// platform_copy_routes.hpp - access to the copy routes inside a platform, which a runtime adds when it starts.
//
// Threads     pure.
#pragma once

#include <stretto/platform.hpp>

#include <memory>
#include <utility>

#include "platform/copy_routes.hpp"

namespace stretto::places {

struct platform_copy_routes {
  /// The platform with these routes.
  static platform added(platform machine, std::shared_ptr<const copy_routes> routes) {
    machine.copies_ = std::move(routes);
    return machine;
  }
  /// Null: the platform belongs to no runtime.
  static const std::shared_ptr<const copy_routes>& in(const platform& machine) noexcept { return machine.copies_; }
};

}  // namespace stretto::places
