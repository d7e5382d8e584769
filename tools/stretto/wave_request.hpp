// wave_request.hpp - what the demonstration of the wave is asked for, by the options of the runtime and its own.
#pragma once

#include "base/options.hpp"
#include "demo/wave/demonstration.hpp"

namespace stretto::tools {

wave::demonstration_request wave_request(const base::settings& settings, const wave::options& asked);

}  // namespace stretto::tools
