// sim_backend.hpp - simulated devices for the asking.
//
// Threads     pure.
#pragma once

#include "device/backend.hpp"

namespace stretto::device {

backend sim_backend();

}  // namespace stretto::device
