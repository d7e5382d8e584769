// kernel_code.hpp - the untyped form of a kernel: its host functions, its text for devices, and its parameters.
//
//     STRETTO_KERNEL(scale, (inout<float, 2> u, float by), { u(global_id(0), global_id(1)) *= by; })
//
//     void describe() {
//       const kernel_code& code = scale.code();
//       std::printf("%s has %zu parameters\n", code.name.data(), code.parameters.size());
//       if (code.parameters[1].mode == access::value) std::puts("the second is a value");
//     }
//
// Threads     constants and values.
// Cost        a kernel is a few static constants, without code that runs before main.
#pragma once

#include <stretto/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto {

/// The kind of access of a kernel to a parameter.
///
///   in      an array that is only read          out     an array of which every named element is written
///   inout   an array that is read and written   local   memory of a group, sized at launch
///   value   a number or a structure, equal for all items
///   reduce  an array to which items contribute, atomically and in any order
enum class access : std::uint8_t { in, out, inout, local, value, reduce };

/// The operator of a reduce parameter, by its name in reduction_operator.hpp. none: an operator of the program, or no
/// reduce parameter.
enum class fold_operator : std::uint8_t { none, sum, product, minimum, maximum, bit_and, bit_or, bit_xor };

/// The kind of elements of an array, of local memory, or of a value.
enum class element_kind : std::uint8_t { integer, unsigned_integer, floating, structure };

struct kernel_code;
/// An operator that STRETTO_DEVICE_OPERATOR defines. Lives as long as the program.
struct device_operator {
  std::string_view name;
  std::uint32_t element_bytes = 0;
  void (*set_identity)(std::byte* to) = nullptr;  ///< sets one element to the identity
  const kernel_code& (*fold_kernel)() =
      nullptr;  ///< a kernel (from, to) on a box of three axes: contributes each element of `from` to `to`
};

/// The description of one parameter of a kernel.
struct kernel_parameter {
  access mode = access::value;
  element_kind kind = element_kind::structure;
  std::uint8_t dimensions = 0;  ///< of an array: 1 to 3; of local memory: 1; of a value: 0
  std::uint32_t element_bytes = 0;
  std::uint32_t alignment = 1;
  fold_operator fold = fold_operator::none;  ///< where mode is reduce
  const device_operator* own = nullptr;      ///< where mode is reduce and fold is none
  std::uint32_t component_bytes = 0;         ///< of a short vector, whose components have that kind; otherwise 0
};

struct touched_elements;  // the elements that a checked kernel has accessed
struct allowed_elements;  // the elements that it may access
class shadow_memory;      // the accesses of the items of a trial run
struct shadow_array;      // those to one array

namespace kernels {
/// Whether a checked kernel may access this element.
bool is_allowed(const allowed_elements& in, const std::int64_t* at, std::size_t axes) noexcept;
/// Records that a checked kernel has accessed this element.
void note_touched(touched_elements& in, const std::int64_t* at, std::size_t axes) noexcept;
/// Records that the running item of a trial run accesses the element at this address. Throws K03 to K07 for an error.
void note_use(shadow_array& in, std::byte* element, const std::int64_t* at, std::size_t axes);
}  // namespace kernels

/// The argument of one parameter in one launch.
struct kernel_argument {
  /// Array: the element whose coordinates are all 0, which need not exist. Value: where it is. Local: memory of the
  /// group.
  std::byte* origin = nullptr;
  std::int64_t stride[3] = {0, 0, 0};   ///< array: elements from one coordinate to the next
  std::int64_t min[3] = {0, 0, 0};      ///< array: the first element on each axis; local: 0
  std::int64_t max[3] = {0, 0, 0};      ///< array: one past the last; local: elements
  touched_elements* touched = nullptr;  ///< array: checked kernels record their accesses there; null: nowhere
  const allowed_elements* allowed =
      nullptr;  ///< array: the elements from min to max that checked kernels may access; null: all of them
  shadow_array* shadow = nullptr;  ///< array: trial runs record their accesses there; null: nowhere
  bool is_overwritten = false;     ///< array: the launch promises to write all of it, as `out` of objects and buffers
};

/// The range of one call of a host function: all ids of a box, or all groups of a box for a group kernel.
struct kernel_work {
  std::int64_t min[3] = {0, 0, 0}, max[3] = {1, 1, 1};          ///< of this call
  std::int64_t all_min[3] = {0, 0, 0}, all_max[3] = {1, 1, 1};  ///< of the launch
  std::int64_t group[3] = {1, 1, 1};                            ///< items of a group
  int dimensions = 1;
  /// Group kernels: memory for declarations in the body; at least `scratch_bytes`, 64-byte aligned.
  std::byte* scratch = nullptr;
  std::size_t scratch_bytes = 0;
  shadow_memory* shadow = nullptr;  ///< of a trial run; null: this is none
};

class native_functions;

/// The argument of one template parameter of a kernel: a type or a number.
struct template_argument {
  std::string_view parameter;  ///< "T"
  std::string_view type;       ///< the type's name in device code; of a number, the number's type: "int32_t"
  std::string_view shown;      ///< the type's name in reports: "int"; empty for a number
  std::uint64_t number = 0;    ///< the bits of the number

  /// Whether the argument is a number.
  constexpr bool is_number() const noexcept { return shown.empty(); }
};

/// A kernel without its C++ types. Lives as long as the program.
struct kernel_code {
  using host_function = void (*)(const kernel_code&, const kernel_work&, const kernel_argument*);

  std::string_view name;                       ///< with template arguments: "scale<float, 4>". A null character follows
  std::string_view parameter_text, body_text;  ///< as the user wrote them, white space folded
  std::string_view file;
  unsigned line = 0;
  bool in_groups = false;
  std::span<const kernel_parameter> parameters;
  host_function run = nullptr;          ///< null: no code for the host
  host_function run_checked = nullptr;  ///< checks every index; throws K01
  /// Only for ids that fit an int, arrays with dense rows, and written arrays that overlap no other argument.
  host_function run_dense = nullptr;
  host_function run_wide =
      nullptr;  ///< as run_dense, for processors with wider vectors; null if run_dense uses them already
  bool denormals_are_zero = false;           ///< the body calls denormals_are_zero()
  const native_functions* native = nullptr;  ///< of a native kernel (native_kernel.hpp)
  bool is_whole = false;                     ///< `run` computes a launch in one call
  std::string_view written_name = {};        ///< the name in the source if it differs from `name`: "scale"
  std::span<const template_argument> template_arguments = {};
};

/// The text of a function, structure, constant or operator that kernels use by name; the body of an operator is the
/// name of its function. All of them form a list that is complete before main.
struct device_text {
  enum class what : std::uint8_t { function, structure, constant, operation };
  what is;
  std::string_view name, type, parameters, body;
  std::string_view file;
  unsigned line;
  const device_text* next;

  /// Adds the text to the list. For the macros of kernel.hpp.
  device_text(what, std::string_view name, std::string_view type, std::string_view parameters, std::string_view body,
              std::string_view file, unsigned line) noexcept;
  device_text(const device_text&) = delete;
};

}  // namespace stretto

STRETTO_API_END
