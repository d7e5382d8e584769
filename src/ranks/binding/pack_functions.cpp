// pack_functions.cpp - data of datatypes as bytes, in the representation of this machine and in external32.
#include <cstring>
#include <span>

#include "ranks/binding/call.hpp"
#include "ranks/binding/call_results.hpp"
#include "ranks/binding/type_handles.hpp"
#include "ranks/datatypes/checked_number.hpp"
#include "ranks/datatypes/external32.hpp"
#include "ranks/datatypes/packed_data.hpp"

namespace stretto::ranks {

namespace {

/// A buffer of packed data, as the program passes it.
template <class Byte>
std::span<Byte> packed_bytes(auto* buffer, std::int64_t size, const char* name) {
  if (size < 0) throw call_error(error_class::argument, "the size of " + std::string(name) + " is negative");
  if (size > 0) required(static_cast<Byte*>(buffer), name);
  return {static_cast<Byte*>(buffer), static_cast<std::size_t>(size)};
}

/// Packs or unpacks from `position`, which moves behind the data and is the program's only if that was done.
template <class Number, class Operation>
void move_position(Number* position, Operation operation) {
  std::int64_t place = required(position, "position");
  if (place < 0) throw call_error(error_class::argument, "position is " + std::to_string(place));
  operation(place);
  *position = static_cast<Number>(place);  // at most the size of the buffer, which is a Number
}

void check_representation(const char* datarep) {
  if (std::strcmp(&required(datarep, "datarep"), "external32") == 0) return;
  throw call_error(error_class::argument, "the data representation \"" + std::string(datarep) + "\" is unknown");
}

template <class Number>
int pack_data(const char* name, const void* inbuf, Number incount, MPI_Datatype datatype, void* outbuf, Number outsize,
              Number* position, MPI_Comm comm) {
  return call(name, comm, [&] {
    object_of(comm);
    const ranks::datatype& type = type_of_data(inbuf, incount, datatype);
    const auto packed = packed_bytes<std::byte>(outbuf, outsize, "outbuf");
    move_position(position, [&](std::int64_t& place) { pack(type, inbuf, incount, packed, place); });
  });
}

template <class Number>
int unpack_data(const char* name, const void* inbuf, Number insize, Number* position, void* outbuf, Number outcount,
                MPI_Datatype datatype, MPI_Comm comm) {
  return call(name, comm, [&] {
    object_of(comm);
    const ranks::datatype& type = type_of_data(outbuf, outcount, datatype);
    const auto packed = packed_bytes<const std::byte>(inbuf, insize, "inbuf");
    move_position(position, [&](std::int64_t& place) { unpack(type, outbuf, outcount, packed, place); });
  });
}

template <class Number>
int pack_size(const char* name, std::int64_t incount, MPI_Datatype datatype, MPI_Comm comm, Number* size) {
  return call(name, comm, [&] {
    object_of(comm);
    if (incount < 0) throw call_error(error_class::count, "incount is " + std::to_string(incount));
    required(size, "size") = value_or_undefined<Number>(product(object_of(datatype).size(), incount));
  });
}

template <class Number>
int pack_externally(const char* name, const char* datarep, const void* inbuf, std::int64_t incount,
                    MPI_Datatype datatype, void* outbuf, Number outsize, Number* position) {
  return call(name, [&] {
    check_representation(datarep);
    const ranks::datatype& type = type_of_data(inbuf, incount, datatype);
    const auto packed = packed_bytes<std::byte>(outbuf, outsize, "outbuf");
    move_position(position, [&](std::int64_t& place) { pack_external(type, inbuf, incount, packed, place); });
  });
}

template <class Number>
int unpack_externally(const char* name, const char* datarep, const void* inbuf, Number insize, Number* position,
                      void* outbuf, std::int64_t outcount, MPI_Datatype datatype) {
  return call(name, [&] {
    check_representation(datarep);
    const ranks::datatype& type = type_of_data(outbuf, outcount, datatype);
    const auto packed = packed_bytes<const std::byte>(inbuf, insize, "inbuf");
    move_position(position, [&](std::int64_t& place) { unpack_external(type, outbuf, outcount, packed, place); });
  });
}

template <class Number>
int pack_external_size(const char* name, const char* datarep, std::int64_t incount, MPI_Datatype datatype,
                       Number* size) {
  return call(name, [&] {
    check_representation(datarep);
    if (incount < 0) throw call_error(error_class::count, "incount is " + std::to_string(incount));
    required(size, "size") = value_or_undefined<Number>(external_size(object_of(datatype), incount));
  });
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position,
              MPI_Comm comm) {
  return pack_data("MPI_Pack", inbuf, incount, datatype, outbuf, outsize, position, comm);
}
STRETTO_MPI_NAME(Pack)

int PMPI_Pack_c(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
                MPI_Count* position, MPI_Comm comm) {
  return pack_data("MPI_Pack_c", inbuf, incount, datatype, outbuf, outsize, position, comm);
}
STRETTO_MPI_NAME(Pack_c)

int PMPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype datatype,
                MPI_Comm comm) {
  return unpack_data("MPI_Unpack", inbuf, insize, position, outbuf, outcount, datatype, comm);
}
STRETTO_MPI_NAME(Unpack)

int PMPI_Unpack_c(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
                  MPI_Datatype datatype, MPI_Comm comm) {
  return unpack_data("MPI_Unpack_c", inbuf, insize, position, outbuf, outcount, datatype, comm);
}
STRETTO_MPI_NAME(Unpack_c)

int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
  return pack_size("MPI_Pack_size", incount, datatype, comm, size);
}
STRETTO_MPI_NAME(Pack_size)

int PMPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count* size) {
  return pack_size("MPI_Pack_size_c", incount, datatype, comm, size);
}
STRETTO_MPI_NAME(Pack_size_c)

int PMPI_Pack_external(const char* datarep, const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf,
                       MPI_Aint outsize, MPI_Aint* position) {
  return pack_externally("MPI_Pack_external", datarep, inbuf, incount, datatype, outbuf, outsize, position);
}
STRETTO_MPI_NAME(Pack_external)

int PMPI_Pack_external_c(const char* datarep, const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
                         MPI_Count outsize, MPI_Count* position) {
  return pack_externally("MPI_Pack_external_c", datarep, inbuf, incount, datatype, outbuf, outsize, position);
}
STRETTO_MPI_NAME(Pack_external_c)

int PMPI_Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf,
                         int outcount, MPI_Datatype datatype) {
  return unpack_externally("MPI_Unpack_external", datarep, inbuf, insize, position, outbuf, outcount, datatype);
}
STRETTO_MPI_NAME(Unpack_external)

int PMPI_Unpack_external_c(const char datarep[], const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
                           MPI_Count outcount, MPI_Datatype datatype) {
  return unpack_externally("MPI_Unpack_external_c", datarep, inbuf, insize, position, outbuf, outcount, datatype);
}
STRETTO_MPI_NAME(Unpack_external_c)

int PMPI_Pack_external_size(const char* datarep, int incount, MPI_Datatype datatype, MPI_Aint* size) {
  return pack_external_size("MPI_Pack_external_size", datarep, incount, datatype, size);
}
STRETTO_MPI_NAME(Pack_external_size)

int PMPI_Pack_external_size_c(const char* datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count* size) {
  return pack_external_size("MPI_Pack_external_size_c", datarep, incount, datatype, size);
}
STRETTO_MPI_NAME(Pack_external_size_c)

}  // extern "C"
