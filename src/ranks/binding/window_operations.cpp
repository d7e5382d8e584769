// window_operations.cpp - functions that read and change memory of other ranks, with usual and with large counts, and
// those that return a request.
#include <string>

#include "ranks/binding/arguments.hpp"
#include "ranks/binding/call.hpp"
#include "ranks/binding/operation_handles.hpp"
#include "ranks/binding/usage_check.hpp"
#include "ranks/binding/window_check.hpp"
#include "ranks/binding/window_handles.hpp"
#include "ranks/call_error.hpp"
#include "ranks/process/access_span.hpp"
#include "ranks/windows/ended_access.hpp"

namespace stretto::ranks {
namespace {

struct data_arguments {
  const void* memory;
  std::int64_t count;
  MPI_Datatype type;
};

struct place_arguments {
  int rank;
  MPI_Aint displacement;
  std::int64_t count;
  MPI_Datatype type;
};

/// How a function returns: at once, or with a request.
struct access_result {
  MPI_Request* request = nullptr;
  bool is_request = false;
};
access_result as_request(MPI_Request* made) { return {made, true}; }

origin_data checked_data(const data_arguments& a) {
  const datatype& type = type_of_data(a.memory, a.count, a.type);
  return {const_cast<void*>(a.memory), a.count, &type};
}

target_place checked_place(const place_arguments& a) {
  if (a.count < 0) throw call_error(error_class::count, "target_count is " + std::to_string(a.count));
  return {a.displacement, a.count, &committed(a.type)};
}

void check_lengths(const window_operation& operation) {
  const std::int64_t target = operation.target.bytes(), origin = operation.origin.bytes();
  const bool is_put = operation.kind == access_kind::put;
  const bool fits = !operation.origin.type || (is_put ? origin <= target : origin == target);
  if (!fits)
    throw call_error(error_class::truncate, "the origin's data has " + std::to_string(origin) +
                                                " bytes, that of the target " + std::to_string(target));
  if (operation.result.type && operation.result.bytes() < target)
    throw call_error(error_class::truncate, "the data of the target has " + std::to_string(target) +
                                                " bytes, the result buffer " +
                                                std::to_string(operation.result.bytes()));
}

request_owner begin_access(rank_window& of, int rank, const window_operation& operation) {
  check_lengths(operation);
  if (usage_check::is_on) [[unlikely]]
    usage_check::accesses(of, rank, operation);
  const access_span span(operation.target.bytes());
  return of.target(rank).begin(operation);
}

/// `make` checks the arguments of the operation, which is none for MPI_PROC_NULL.
template <class Make>
int access_window(const char* name, MPI_Win win, int rank, access_result result, Make make) {
  return call(name, {.win = win}, [&] {
    rank_window& of = object_of(win);
    if (result.is_request) required(result.request, "request") = MPI_REQUEST_NULL;
    request_owner begun;
    if (rank != null_process) {
      if (rank < 0 || rank >= of.size())
        throw call_error(error_class::rank,
                         "the target is " + std::to_string(rank) + ", and the window has " + std::to_string(of.size()));
      if (result.is_request) of.epochs.check_locked(rank);
      else of.epochs.check_access(rank);
      window_operation operation = make();
      operation.is_waited_for = result.is_request;
      begun = begin_access(of, rank, operation);
    }
    if (result.is_request) *result.request = handle_of(begun ? std::move(begun) : ended_access());
  });
}

int put(const char* name, const data_arguments& origin, const place_arguments& target, MPI_Win win,
        access_result result = {}) {
  return access_window(name, win, target.rank, result, [&]() -> window_operation {
    return {.kind = access_kind::put, .origin = checked_data(origin), .result = {}, .target = checked_place(target)};
  });
}

int get(const char* name, const data_arguments& origin, const place_arguments& target, MPI_Win win,
        access_result result = {}) {
  return access_window(name, win, target.rank, result, [&]() -> window_operation {
    return {.kind = access_kind::get, .origin = {}, .result = checked_data(origin), .target = checked_place(target)};
  });
}

/// The origin of an accumulate; MPI_NO_OP has none.
origin_data combined_data(const data_arguments& a, const reduction_operation& operation) {
  return operation.which() == predefined_operator::no_operation ? origin_data() : checked_data(a);
}

int accumulate(const char* name, const data_arguments& origin, const place_arguments& target, MPI_Op op, MPI_Win win,
               access_result result = {}) {
  return access_window(name, win, target.rank, result, [&]() -> window_operation {
    const reduction_operation& operation = object_of(op);
    return {.kind = access_kind::accumulate,
            .origin = combined_data(origin, operation),
            .result = {},
            .target = checked_place(target),
            .operation = &operation};
  });
}

int get_accumulate(const char* name, const data_arguments& origin, const data_arguments& fetched,
                   const place_arguments& target, MPI_Op op, MPI_Win win, access_result result = {}) {
  return access_window(name, win, target.rank, result, [&]() -> window_operation {
    const reduction_operation& operation = object_of(op);
    return {.kind = access_kind::get_accumulate,
            .origin = combined_data(origin, operation),
            .result = checked_data(fetched),
            .target = checked_place(target),
            .operation = &operation};
  });
}

void check_predefined(MPI_Datatype handle) {
  if (!object_of(handle).is_predefined())
    throw call_error(error_class::type, "only predefined datatypes are allowed here");
}

void check_comparable(MPI_Datatype handle) {
  const basic_type* const basic = object_of(handle).basic();
  if (!basic || basic->kind == value_kind::floating || basic->kind == value_kind::complex)
    throw call_error(error_class::type, "only types of integers, truth values and bytes can be compared");
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

// Parameters and arguments of the functions, by the type of counts.
#define STRETTO_TARGET_PARAMETERS(N) int target_rank, MPI_Aint target_disp, N target_count, MPI_Datatype target_datatype
#define STRETTO_TARGET {target_rank, target_disp, target_count, target_datatype}
#define STRETTO_ORIGIN {origin_addr, origin_count, origin_datatype}
#define STRETTO_PUT_PARAMETERS(N) \
  const void *origin_addr, N origin_count, MPI_Datatype origin_datatype, STRETTO_TARGET_PARAMETERS(N)
#define STRETTO_GET_PARAMETERS(N) \
  void *origin_addr, N origin_count, MPI_Datatype origin_datatype, STRETTO_TARGET_PARAMETERS(N)
#define STRETTO_ACCUMULATE_PARAMETERS(N) STRETTO_PUT_PARAMETERS(N), MPI_Op op
#define STRETTO_GET_ACCUMULATE_PARAMETERS(N)                                                                \
  const void *origin_addr, N origin_count, MPI_Datatype origin_datatype, void *result_addr, N result_count, \
      MPI_Datatype result_datatype, STRETTO_TARGET_PARAMETERS(N), MPI_Op op

/// A function, the one with a request, and both with large counts.
#define STRETTO_WINDOW_OPERATION(Name, name, function, PARAMETERS, ...)                                             \
  int PMPI_##Name(PARAMETERS(int), MPI_Win win) { return function("MPI_" #Name, __VA_ARGS__, win); }                \
  STRETTO_MPI_NAME(Name)                                                                                            \
  int PMPI_##Name##_c(PARAMETERS(MPI_Count), MPI_Win win) { return function("MPI_" #Name "_c", __VA_ARGS__, win); } \
  STRETTO_MPI_NAME(Name##_c)                                                                                        \
  int PMPI_R##name(PARAMETERS(int), MPI_Win win, MPI_Request* request) {                                            \
    return function("MPI_R" #name, __VA_ARGS__, win, as_request(request));                                          \
  }                                                                                                                 \
  STRETTO_MPI_NAME(R##name)                                                                                         \
  int PMPI_R##name##_c(PARAMETERS(MPI_Count), MPI_Win win, MPI_Request* request) {                                  \
    return function("MPI_R" #name "_c", __VA_ARGS__, win, as_request(request));                                     \
  }                                                                                                                 \
  STRETTO_MPI_NAME(R##name##_c)

extern "C" {

STRETTO_WINDOW_OPERATION(Put, put, put, STRETTO_PUT_PARAMETERS, STRETTO_ORIGIN, STRETTO_TARGET)
STRETTO_WINDOW_OPERATION(Get, get, get, STRETTO_GET_PARAMETERS, STRETTO_ORIGIN, STRETTO_TARGET)
STRETTO_WINDOW_OPERATION(Accumulate, accumulate, accumulate, STRETTO_ACCUMULATE_PARAMETERS, STRETTO_ORIGIN,
                         STRETTO_TARGET, op)
STRETTO_WINDOW_OPERATION(Get_accumulate, get_accumulate, get_accumulate, STRETTO_GET_ACCUMULATE_PARAMETERS,
                         STRETTO_ORIGIN, {result_addr, result_count, result_datatype}, STRETTO_TARGET, op)

int PMPI_Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
                      MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  return access_window("MPI_Fetch_and_op", win, target_rank, {}, [&]() -> window_operation {
    check_predefined(datatype);
    const reduction_operation& operation = object_of(op);
    return {.kind = access_kind::get_accumulate,
            .origin = combined_data({origin_addr, 1, datatype}, operation),
            .result = checked_data({result_addr, 1, datatype}),
            .target = checked_place({target_rank, target_disp, 1, datatype}),
            .operation = &operation};
  });
}
STRETTO_MPI_NAME(Fetch_and_op)

int PMPI_Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr, MPI_Datatype datatype,
                          int target_rank, MPI_Aint target_disp, MPI_Win win) {
  return access_window("MPI_Compare_and_swap", win, target_rank, {}, [&]() -> window_operation {
    check_comparable(datatype);
    return {.kind = access_kind::compare_and_swap,
            .origin = checked_data({origin_addr, 1, datatype}),
            .result = checked_data({result_addr, 1, datatype}),
            .target = checked_place({target_rank, target_disp, 1, datatype}),
            .operation = nullptr,
            .expected = checked_data({compare_addr, 1, datatype}).memory};
  });
}
STRETTO_MPI_NAME(Compare_and_swap)

}  // extern "C"
