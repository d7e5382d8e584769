// type_arguments.cpp - the call that made a datatype.
#include <algorithm>
#include <span>

#include "ranks/binding/call.hpp"
#include "ranks/binding/call_results.hpp"
#include "ranks/binding/type_handles.hpp"

namespace stretto::ranks {

namespace {

/// A place for results and how many it has place for.
template <class Value>
struct result_list {
  std::int64_t place;
  Value* values;
  const char* name;
};

struct result_lists {
  result_list<int> integers;
  result_list<MPI_Aint> addresses;
  result_list<MPI_Count> large_counts;
  result_list<MPI_Datatype> types;
};

template <class Source, class Value>
void check_place(const std::vector<Source>& source, const result_list<Value>& list) {
  if (list.place < std::ssize(source)) {
    throw call_error(error_class::argument, std::string(list.name) + " has place for " + std::to_string(list.place) +
                                                " of " + std::to_string(source.size()) + " values");
  }
  if (!source.empty()) required(list.values, list.name);
}

/// Functions without large counts have no place for those of a type that was made with some.
void check_counts(const type_arguments& arguments) {
  if (arguments.large_counts.empty()) return;
  throw call_error(error_class::type,
                   "the datatype was made with large counts, which only the function for large "
                   "counts returns");
}

void write_arguments(const type_arguments& arguments, const result_lists& lists) {
  if (arguments.constructor == type_constructor::named) {
    throw call_error(error_class::type, "the datatype is predefined");
  }
  check_place(arguments.integers, lists.integers);
  check_place(arguments.addresses, lists.addresses);
  check_place(arguments.large_counts, lists.large_counts);
  check_place(arguments.types, lists.types);
  std::ranges::copy(arguments.integers, lists.integers.values);
  std::ranges::copy(arguments.addresses, lists.addresses.values);
  std::ranges::copy(arguments.large_counts, lists.large_counts.values);
  std::ranges::transform(arguments.types, lists.types.values, handle_for_program);
}

template <class Value>
void write_count(const std::vector<Value>& values, auto* count, const char* name) {
  using number = std::remove_pointer_t<decltype(count)>;
  required(count, name) = value_or_undefined<number>(std::ssize(values));
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Type_get_envelope(MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes,
                           int* combiner) {
  return call("MPI_Type_get_envelope", [&] {
    const type_arguments& arguments = object_of(datatype).arguments();
    check_counts(arguments);
    write_count(arguments.integers, num_integers, "num_integers");
    write_count(arguments.addresses, num_addresses, "num_addresses");
    write_count(arguments.types, num_datatypes, "num_datatypes");
    required(combiner, "combiner") = static_cast<int>(arguments.constructor);
  });
}
STRETTO_MPI_NAME(Type_get_envelope)

int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                             MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) {
  return call("MPI_Type_get_envelope_c", [&] {
    const type_arguments& arguments = object_of(datatype).arguments();
    write_count(arguments.integers, num_integers, "num_integers");
    write_count(arguments.addresses, num_addresses, "num_addresses");
    write_count(arguments.large_counts, num_large_counts, "num_large_counts");
    write_count(arguments.types, num_datatypes, "num_datatypes");
    required(combiner, "combiner") = static_cast<int>(arguments.constructor);
  });
}
STRETTO_MPI_NAME(Type_get_envelope_c)

int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                           int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[]) {
  return call("MPI_Type_get_contents", [&] {
    const type_arguments& arguments = object_of(datatype).arguments();
    check_counts(arguments);
    write_arguments(arguments, {{max_integers, array_of_integers, "array_of_integers"},
                                {max_addresses, array_of_addresses, "array_of_addresses"},
                                {0, nullptr, "array_of_large_counts"},
                                {max_datatypes, array_of_datatypes, "array_of_datatypes"}});
  });
}
STRETTO_MPI_NAME(Type_get_contents)

int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                             MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                             MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                             MPI_Datatype array_of_datatypes[]) {
  return call("MPI_Type_get_contents_c", [&] {
    write_arguments(object_of(datatype).arguments(),
                    {{max_integers, array_of_integers, "array_of_integers"},
                     {max_addresses, array_of_addresses, "array_of_addresses"},
                     {max_large_counts, array_of_large_counts, "array_of_large_counts"},
                     {max_datatypes, array_of_datatypes, "array_of_datatypes"}});
  });
}
STRETTO_MPI_NAME(Type_get_contents_c)

}  // extern "C"
