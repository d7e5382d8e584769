// platform_copy_routes.hpp - what the platform of a runtime knows of its copies.
//
// Threads     pure.
#pragma once

#include <stretto/platform.hpp>

#include <memory>
#include <utility>

#include "platform/copy_routes.hpp"

namespace stretto::places {

struct platform_copy_routes {
  static platform added(platform machine, std::shared_ptr<const copy_routes> ways) {
    machine.copies_ = std::move(ways);
    return machine;
  }
  /// Null: it is of no runtime.
  static const std::shared_ptr<const copy_routes>& in(const platform& machine) noexcept { return machine.copies_; }
};

}  // namespace stretto::places
