// send_buffers.cpp - functions of the memory that a program attaches for its buffered sends.
#include <fmt/format.h>

#include <cstring>

#include "ranks/binding/arguments.hpp"
#include "ranks/binding/call.hpp"
#include "ranks/call_error.hpp"

namespace stretto::ranks {
namespace {

int attach(const char* name, void* memory, std::int64_t bytes) {
  return call(name, [&] {
    if (bytes < 0) throw call_error(error_class::argument, fmt::format("the size is {}", bytes));
    caller().buffer().attach(memory, bytes);
  });
}

/// The address is returned through a pointer of any type.
template <class Size>
int detach(const char* name, void* address, Size* bytes) {
  return call(name, [&] {
    if (!address) throw call_error(error_class::argument, "buffer_addr is a null pointer");
    const auto [memory, size] = caller().buffer().detach();
    std::memcpy(address, &memory, sizeof memory);
    required(bytes, "size") = static_cast<Size>(size);
  });
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Buffer_attach(void* buffer, int size) { return attach("MPI_Buffer_attach", buffer, size); }
STRETTO_MPI_NAME(Buffer_attach)

int PMPI_Buffer_attach_c(void* buffer, MPI_Count size) { return attach("MPI_Buffer_attach_c", buffer, size); }
STRETTO_MPI_NAME(Buffer_attach_c)

int PMPI_Buffer_detach(void* buffer_addr, int* size) { return detach("MPI_Buffer_detach", buffer_addr, size); }
STRETTO_MPI_NAME(Buffer_detach)

int PMPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) {
  return detach("MPI_Buffer_detach_c", buffer_addr, size);
}
STRETTO_MPI_NAME(Buffer_detach_c)

int PMPI_Buffer_flush(void) {
  return call("MPI_Buffer_flush", [] { caller().buffer().flush(); });
}
STRETTO_MPI_NAME(Buffer_flush)

}  // extern "C"
