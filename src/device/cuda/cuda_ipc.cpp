#include "device/cuda/cuda_ipc.hpp"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/first_line.hpp"
#include "base/hash.hpp"

namespace stretto::device::cuda {

namespace {

struct named_memory {
  std::uint64_t machine;
  CUipcMemHandle handle;
};

/// Differs after each boot of the system.
std::uint64_t this_system() {
  static const std::uint64_t one = [] {
    std::string id = base::boot_id();
    std::array<char, 256> name{};
    if (id.empty() && gethostname(name.data(), name.size() - 1) == 0) id = name.data();
    return base::fnv1a(id);
  }();
  return one;
}

}  // namespace

std::vector<std::byte> token_of(const api& cu, CUdeviceptr first) {
  named_memory named{this_system(), {}};
  if (!cu.cuIpcGetMemHandle || !cu.cuIpcOpenMemHandle || !cu.cuIpcCloseMemHandle ||
      cu.cuIpcGetMemHandle(&named.handle, first) != CUDA_SUCCESS)
    return {};
  const auto bytes = std::as_bytes(std::span(&named, 1));
  return {bytes.begin(), bytes.end()};
}

CUdeviceptr open_token(const api& cu, std::span<const std::byte> token) {
  named_memory named{};
  if (token.size() != sizeof named || !cu.cuIpcOpenMemHandle) return 0;
  std::memcpy(&named, token.data(), sizeof named);
  CUdeviceptr at = 0;
  if (named.machine != this_system() || cu.cuIpcOpenMemHandle(&at, named.handle, peer_access_when_used) != CUDA_SUCCESS)
    return 0;
  return at;
}

}  // namespace stretto::device::cuda
