// For builds without OpenCL's headers, which lack the backend.
#include "conformance/devices.hpp"

namespace stretto::device {

std::vector<candidate> opencl_candidates() { return {}; }

}  // namespace stretto::device
