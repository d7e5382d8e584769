// sim_backend.hpp - the backend for simulated devices, of which any number can be requested.
//
// Threads     pure.
#pragma once

#include "device/backend.hpp"

namespace stretto::device {

backend sim_backend();

}  // namespace stretto::device
