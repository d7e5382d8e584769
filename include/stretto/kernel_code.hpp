// kernel_code.hpp - what a kernel is once it has been compiled: a host function, the text for devices, and parameters.
//
// Threads     constants and values.
// Cost        a kernel is a few static constants; nothing happens before main.
#pragma once

#include <stretto/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto {

/// What a kernel does with a parameter.
///
///   in      an array that is only read          out     an array of which every named element is written
///   inout   an array that is read and written   local   memory of a group, sized at launch
///   value   a number or a structure, the same for every item
///   reduce  an array to whose elements values are contributed, in one step each and in any order
enum class access : std::uint8_t { in, out, inout, local, value, reduce };

/// What a contribution does to an element: the operators of reduction_operator.hpp by their names. None: one of the
/// program's own, or nothing.
enum class fold_operator : std::uint8_t { none, sum, product, minimum, maximum, bit_and, bit_or, bit_xor };

/// What an array, or the like, is made of.
enum class element_kind : std::uint8_t { integer, unsigned_integer, floating, structure };

struct kernel_code;
/// An operator of the program's own, of STRETTO_DEVICE_OPERATOR. Lives as long as the program.
struct device_operator {
  std::string_view name;
  std::uint32_t element_bytes = 0;
  void (*set_identity)(std::byte* to) = nullptr;  ///< one element
  const kernel_code& (*fold_kernel)() =
      nullptr;  ///< (from, to) on a box of three axes: contributes each element of `from` to that of `to`
};

/// What is known of one parameter of a kernel.
struct kernel_parameter {
  access mode = access::value;
  element_kind kind = element_kind::structure;
  std::uint8_t dimensions = 0;  ///< of an array: 1 to 3; of local memory: 1; of a value: 0
  std::uint32_t element_bytes = 0;
  std::uint32_t alignment = 1;
  fold_operator fold = fold_operator::none;  ///< where mode is reduce
  const device_operator* own = nullptr;      ///< where mode is reduce and fold is none
  std::uint32_t component_bytes = 0;  ///< where it is a short vector, whose components are of that kind; 0: it is none
};

struct touched_elements;  // which elements kernels have named
struct allowed_elements;  // which they may name
class shadow_memory;      // which elements the items of a trial run read and write
struct shadow_array;      // that of one array

namespace kernels {
/// Whether a kernel may name this element.
bool is_allowed(const allowed_elements& in, const std::int64_t* at, std::size_t axes) noexcept;
/// Notes that a kernel has named this element.
void note_touched(touched_elements& in, const std::int64_t* at, std::size_t axes) noexcept;
/// The item that runs is about to read or write the element at this address.
void note_use(shadow_array& in, std::byte* element, const std::int64_t* at, std::size_t axes);
}  // namespace kernels

/// What stands for a parameter in one launch.
struct kernel_argument {
  /// Array: the element whose coordinates are all 0, which need not exist. Value: where it is. Local: memory of the
  /// group.
  std::byte* origin = nullptr;
  std::int64_t stride[3] = {0, 0, 0};   ///< array: elements from one coordinate to the next
  std::int64_t min[3] = {0, 0, 0};      ///< array: the first element on each axis; local: 0
  std::int64_t max[3] = {0, 0, 0};      ///< array: one past the last; local: elements
  touched_elements* touched = nullptr;  ///< array: checked kernels note there what they name; null: nowhere
  const allowed_elements* allowed =
      nullptr;  ///< array: of those from min to max, what checked kernels may name; null: all of them
  shadow_array* shadow = nullptr;  ///< array: trial runs note their uses there; null: nowhere
  bool is_overwritten =
      false;  ///< array: the launch has said that it writes all of it, as out of objects and buffers says
};

/// The items that one call computes: of a plain kernel all ids of a box, of a group kernel all groups of a box.
struct kernel_work {
  std::int64_t min[3] = {0, 0, 0}, max[3] = {1, 1, 1};          ///< of this call
  std::int64_t all_min[3] = {0, 0, 0}, all_max[3] = {1, 1, 1};  ///< of the launch
  std::int64_t group[3] = {1, 1, 1};                            ///< items of a group
  int dimensions = 1;
  /// Group kernels: memory for what the body declares; at least `scratch_bytes`, 64-byte aligned.
  std::byte* scratch = nullptr;
  std::size_t scratch_bytes = 0;
  shadow_memory* shadow = nullptr;  ///< of a trial run; null: this is none
};

class native_functions;

/// The type or the number that a kernel of a template has for one of its parameters.
struct template_argument {
  std::string_view parameter;  ///< "T"
  std::string_view type;       ///< as devices call it; of a number, its own: "int32_t"
  std::string_view shown;      ///< as reports call it: "int"; empty: it is a number
  std::uint64_t number = 0;    ///< whose sign its type says

  constexpr bool is_number() const noexcept { return shown.empty(); }
};

/// A kernel without its types. Lives as long as the program.
struct kernel_code {
  using host_function = void (*)(const kernel_code&, const kernel_work&, const kernel_argument*);

  std::string_view name;  ///< of a template's kernel with what it is of: "scale<float, 4>". A null character follows
  std::string_view parameter_text, body_text;  ///< as the user wrote them, white space folded
  std::string_view file;
  unsigned line = 0;
  bool in_groups = false;
  std::span<const kernel_parameter> parameters;
  host_function run = nullptr;          ///< null: the host has no code for it
  host_function run_checked = nullptr;  ///< looks at every index; throws K01
  /// Only for work whose ids are ints and for arrays whose rows are dense, if what is written lies in no other
  /// argument.
  host_function run_dense = nullptr;
  host_function run_wide =
      nullptr;  ///< the same for processors with wider vectors; null where run_dense uses them already
  bool denormals_are_zero = false;           ///< the body says so: numbers below the normal range may count as zero
  const native_functions* native = nullptr;  ///< what the program brought in place of text (native_kernel.hpp)
  bool is_whole = false;                     ///< `run` computes a launch in one call
  std::string_view written_name = {};        ///< in the source, where that is not `name`: "scale"
  std::span<const template_argument> template_arguments = {};
};

/// Text that kernels may use by its name: a function, a structure, a constant, or an operator, whose body is the name
/// of its function. A list that is complete before main.
struct device_text {
  enum class what : std::uint8_t { function, structure, constant, operation };
  what is;
  std::string_view name, type, parameters, body;
  std::string_view file;
  unsigned line;
  const device_text* next;

  device_text(what, std::string_view name, std::string_view type, std::string_view parameters, std::string_view body,
              std::string_view file, unsigned line) noexcept;
  device_text(const device_text&) = delete;
};

}  // namespace stretto

STRETTO_API_END
