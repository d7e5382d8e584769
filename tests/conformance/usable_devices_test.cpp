// The list of devices that the tests of all floors above go through.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "usable_devices.hpp"

namespace stretto::test {
namespace {

TEST_CASE("every test on OpenCL devices also runs on CUDA devices") {
  using names = std::vector<std::string>;
  CHECK(with_cuda({"none", "sim:3", "opencl:1", "opencl,sim:2"}) ==
        names{"none", "sim:3", "opencl:1", "opencl,sim:2", "cuda:1", "cuda,sim:2"});
  CHECK(with_cuda({"none", "sim"}) == names{"none", "sim"});
}

TEST_CASE("kinds of which there is none are left out, others are not") {
  CHECK(usable_devices({"sim", "sim:3(memory=nothing)", "none"}, "nothing") == std::vector<std::string>{"sim", "none"});
}

TEST_CASE("where CUDA is there it is in use") {
  const char* const needed = std::getenv("STRETTO_TEST_NEEDS_CUDA");
  if (!needed) return;
  CHECK(usable_devices({"opencl:1"}, "nothing").back() == "cuda:1");
}

}  // namespace
}  // namespace stretto::test
