// file_representations.cpp - representations of data in files that a program registers.
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "ranks/binding/call.hpp"
#include "ranks/binding/type_handles.hpp"
#include "ranks/collectives/reduction_operation.hpp"
#include "ranks/datatypes/packed_data.hpp"

namespace stretto::ranks {
namespace {

/// The functions of the program, with large counts or without.
template <class Function>
struct conversion_functions {
  Function* read;
  Function* write;
  MPI_Datarep_extent_function* extent;
  void* state;
};

void check_code(int code, const char* function) {
  if (code == MPI_SUCCESS) return;
  throw call_error(static_cast<error_class>(code),
                   std::string("the ") + function + " function of the data representation failed");
}

/// Where a function for conversions is null, data lies in the file as in memory.
template <class Function, class Count>
class program_representation final : public data_representation {
 public:
  program_representation(std::string name, conversion_functions<Function> functions)
      : name_(std::move(name)), functions_(functions) {}

  const std::string& name() const override { return name_; }

  std::int64_t bytes_of(const datatype& basic) const override {
    MPI_Aint extent = 0;
    check_code(functions_.extent(handle_of(basic), &extent, functions_.state), "extent");
    return extent;
  }

  std::vector<std::byte> to_file(const datatype& type, const void* elements, std::int64_t count) const override {
    std::vector<std::byte> bytes(static_cast<std::size_t>(bytes_in_file(*this, type, count)));
    std::int64_t position = 0;
    if (!functions_.write) pack(type, elements, count, bytes, position);
    else convert(functions_.write, type, const_cast<void*>(elements), count, bytes.data());
    return bytes;
  }

  std::int64_t from_file(const datatype& type, void* elements, std::span<const std::byte> bytes) const override {
    const std::int64_t each = bytes_in_file(*this, type, 1);
    if (each == 0) return 0;
    const std::int64_t count = std::ssize(bytes) / each;
    std::int64_t position = 0;
    if (!functions_.read) unpack(type, elements, count, bytes, position);
    else convert(functions_.read, type, elements, count, const_cast<std::byte*>(bytes.data()));
    return count * type.size();
  }

 private:
  /// The count of such a function is one of basic elements.
  void convert(Function* by, const datatype& type, void* elements, std::int64_t count, std::byte* bytes) const {
    const std::int64_t items = count * type.elements();
    if (items == 0) return;
    if (!std::in_range<Count>(items))
      throw call_error(error_class::value_too_large, "the access has " + std::to_string(items) + " values");
    check_code(by(elements, handle_of(type), static_cast<Count>(items), bytes, 0, functions_.state), "conversion");
  }

  const std::string name_;
  const conversion_functions<Function> functions_;
};

template <class Count, class Function>
int register_representation(const char* name, const char* datarep, const conversion_functions<Function>& functions) {
  return call(name, MPI_FILE_NULL, [&] {
    const std::string text = &required(datarep, "datarep");
    required(functions.extent, "dtype_file_extent_fn");
    if (text.size() >= MPI_MAX_DATAREP_STRING) throw call_error(error_class::argument, "datarep is too long");
    auto& known = current_rank().representations;
    if (text == "native" || text == "internal" || text == "external32" || known.contains(text))
      throw call_error(error_class::duplicate_datarep, "the data representation \"" + text + "\" exists");
    known.emplace(text, std::make_shared<program_representation<Function, Count>>(text, functions));
  });
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Register_datarep(const char* datarep, MPI_Datarep_conversion_function* read_conversion_fn,
                          MPI_Datarep_conversion_function* write_conversion_fn,
                          MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state) {
  return register_representation<int>("MPI_Register_datarep", datarep,
                                      conversion_functions<MPI_Datarep_conversion_function>{
                                          read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state});
}
STRETTO_MPI_NAME(Register_datarep)

int PMPI_Register_datarep_c(const char* datarep, MPI_Datarep_conversion_function_c* read_conversion_fn,
                            MPI_Datarep_conversion_function_c* write_conversion_fn,
                            MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state) {
  return register_representation<MPI_Count>(
      "MPI_Register_datarep_c", datarep,
      conversion_functions<MPI_Datarep_conversion_function_c>{read_conversion_fn, write_conversion_fn,
                                                              dtype_file_extent_fn, extra_state});
}
STRETTO_MPI_NAME(Register_datarep_c)

}  // extern "C"
