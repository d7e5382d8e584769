// broken_driver.cpp - a library for OpenCL or CUDA that misbehaves on opening, as the variable BROKEN_DRIVER says.
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

[[gnu::constructor]] void open() {
  const char* const wish = std::getenv("BROKEN_DRIVER");
  const std::string_view how = wish ? wish : "";
  if (how == "abort") {
    std::fprintf(stderr, "the driver is lost\n");
    std::abort();
  }
  if (how == "exit") std::exit(0);
  while (how == "hang") ::pause();
}

}  // namespace
