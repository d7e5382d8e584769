// new_type.hpp - runs a constructor of datatypes for a program.
//
// Threads     any thread of a rank.
#pragma once

#include "ranks/binding/call.hpp"
#include "ranks/binding/type_handles.hpp"
#include "ranks/binding/usage_check.hpp"

namespace stretto::ranks {

/// The body of a function of MPI that makes a datatype: `make` returns it.
template <class Make>
int call_constructor(const char* name, MPI_Datatype* newtype, Make make) noexcept {
  return call(name, [&] {
    MPI_Datatype& result = required(newtype, "newtype");
    result = new_handle(make());
    if (usage_check::is_on) [[unlikely]]
      usage_check::made(result, usage_check::object_kind::datatype);
  });
}

}  // namespace stretto::ranks
