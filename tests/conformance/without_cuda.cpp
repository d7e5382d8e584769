// For builds without the CUDA backend.
#include "conformance/devices.hpp"

namespace stretto::device {

std::vector<candidate> cuda_candidates() { return {}; }

}  // namespace stretto::device
