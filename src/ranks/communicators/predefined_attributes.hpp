// predefined_attributes.hpp - the attributes that every communicator and every window has.
//
// Threads     values: set before programs read them, but for last_used_code, which the rank's error codes change.
#pragma once

#include <cstdint>
#include <limits>

#include "ranks/communicators/group.hpp"

namespace stretto::ranks {

/// Their keys; the numbers are those of the ABI.
enum class predefined_key : int {
  tag_upper_bound = 501,
  io,
  host,
  wtime_is_global,
  application_number,
  last_used_code,
  universe_size,
  window_base = 601,
  window_displacement_unit,
  window_size,
  window_flavor,
  window_model
};

/// Of a rank. Programs get addresses of these numbers.
struct environment_attributes {
  int tag_upper_bound = std::numeric_limits<int>::max();
  int io = -1;              // MPI_ANY_SOURCE: every rank reads and writes files
  int host = null_process;  // no rank is a host of others
  int wtime_is_global = 0;
  int application_number = 0;
  int last_used_code = 0;
  int universe_size = 1;
};

/// The address of a number; null if this is no key of communicators.
int* predefined_attribute(environment_attributes& attributes, int key);

struct window_attributes {
  void* base = nullptr;
  std::intptr_t size = 0;     // bytes
  int displacement_unit = 1;  // bytes
  int flavor = 0;             // MPI_WIN_FLAVOR_CREATE, ...
  int model = 0;              // MPI_WIN_UNIFIED or MPI_WIN_SEPARATE
};

/// The base itself, or the address of a number; `is_key` is false if this is no key of windows.
struct window_attribute {
  bool is_key = false;
  void* value = nullptr;
};
window_attribute predefined_attribute(window_attributes& attributes, int key);

}  // namespace stretto::ranks
