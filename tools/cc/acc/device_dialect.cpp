#include "cc/acc/device_dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "cc/is_in.hpp"

namespace stretto::cc::acc {
namespace {

// Reserved, though a program in C may use them as names.
constexpr std::array reserved_in_opencl{
    "kernel",        "global",          "local",     "constant",  "private",   "half",       "quad",       "bool",
    "true",          "false",           "complex",   "imaginary", "uchar",     "ushort",     "uint",       "ulong",
    "ptrdiff_t",     "intptr_t",        "uintptr_t", "size_t",    "read_only", "write_only", "event_t",    "sampler_t",
    "image1d_t",     "image2d_t",       "image3d_t", "vec_step",  "pipe",      "generic",    "read_write", "uniform",
    "get_global_id", "get_global_size", "as_float",  "as_double", "isnan",     "isinf"};
constexpr std::array reserved_in_cuda{"alignas",      "alignof",
                                      "and",          "and_eq",
                                      "asm",          "bitand",
                                      "bitor",        "bool",
                                      "catch",        "char16_t",
                                      "char32_t",     "class",
                                      "compl",        "concept",
                                      "constexpr",    "decltype",
                                      "delete",       "explicit",
                                      "export",       "false",
                                      "friend",       "mutable",
                                      "namespace",    "new",
                                      "noexcept",     "not",
                                      "not_eq",       "nullptr",
                                      "operator",     "or",
                                      "or_eq",        "private",
                                      "protected",    "public",
                                      "requires",     "template",
                                      "this",         "throw",
                                      "true",         "try",
                                      "typeid",       "typename",
                                      "using",        "virtual",
                                      "wchar_t",      "xor",
                                      "xor_eq",       "threadIdx",
                                      "blockIdx",     "blockDim",
                                      "gridDim",      "warpSize",
                                      "dim3",         "const_cast",
                                      "dynamic_cast", "reinterpret_cast",
                                      "static_cast",  "static_assert",
                                      "thread_local", "uchar",
                                      "uint",         "ulong"};
constexpr std::array vector_elements{"char",  "uchar", "short",  "ushort", "int",      "uint",     "long",
                                     "ulong", "float", "double", "half",   "longlong", "ulonglong"};

}  // namespace

bool is_vector_type(std::string_view name) noexcept {
  const auto digits = name.find_last_not_of("0123456789") + 1;
  return digits < name.size() && is_in(vector_elements, name.substr(0, digits));
}

std::string device_dialect::qualifier(pointer_space space) const {
  if (!is_opencl()) return "";
  switch (space) {
    case pointer_space::unknown:
    case pointer_space::global: return "__global ";
    case pointer_space::constant: return "__constant ";
    case pointer_space::own: return "";
  }
  return "";
}

std::string device_dialect::number(const c_type& type) const {
  if (type.is == type_form::boolean) return "bool";
  const std::size_t least = type.is == type_form::floating ? 4 : 1;
  if (!type.is_number() || type.bytes < least || type.bytes > 8)
    throw inexpressible_code{fmt::format("it uses the type \"{}\"", type.spelling)};
  if (type.is == type_form::floating) return type.bytes == 4 ? "float" : "double";
  static constexpr std::array names{"char", "short", "", "int", "", "", "", "long"};
  const std::string name = names[type.bytes - 1];
  if (type.is_signed) return name;
  return is_opencl() ? "u" + name : "unsigned " + name;
}

std::string device_dialect::literal(std::string_view spelling) const {
  const bool is_text = spelling.find_first_of("\"'") != spelling.npos;
  if (is_text) return std::string(spelling);
  std::string text(spelling);
  const auto is_l = [](char c) { return c == 'l' || c == 'L'; };
  if (std::ranges::count_if(text, is_l) > 1) text.erase(std::ranges::find_if(text, is_l));
  return text;
}

std::string device_dialect::identifier(const std::string& name) const {
  const bool is_reserved =
      (is_opencl() ? is_in(reserved_in_opencl, name) : is_in(reserved_in_cuda, name)) || is_vector_type(name);
  return is_reserved ? "stretto_name_" + name : name;
}

std::string_view device_dialect::gang() const {
  return is_opencl() ? "get_global_id(0)" : "(long)blockIdx.x * blockDim.x + threadIdx.x";
}

std::string_view device_dialect::gangs() const {
  return is_opencl() ? "get_global_size(0)" : "(long)gridDim.x * blockDim.x";
}

std::string_view device_dialect::swap_function(std::size_t bytes) const {
  return !is_opencl() ? "atomicCAS" : bytes == 8 ? "atom_cmpxchg" : "atomic_cmpxchg";
}

std::string_view device_dialect::swapped_type(std::size_t bytes) const {
  if (is_opencl()) return bytes == 8 ? "ulong" : "uint";
  return bytes == 8 ? "unsigned long long" : "unsigned int";
}

std::string device_dialect::change_function(std::string_view what, std::size_t bytes) const {
  if (!is_opencl() && bytes == 4)
    return fmt::format("atomic{}{}", static_cast<char>(what[0] - 'a' + 'A'), what.substr(1));
  if (is_opencl() && bytes == 4) return fmt::format("atomic_{}", what);
  const bool is_base = what == "add" || what == "sub";  // others are another extension
  return is_opencl() && bytes == 8 && is_base ? fmt::format("atom_{}", what) : "";
}

std::string device_dialect::prelude(bool uses_double, bool uses_long_atomics) const {
  std::string text;
  if (is_opencl() && uses_double) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  if (is_opencl() && uses_long_atomics) text += "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n";
  if (!is_opencl())
    text +=
        "typedef unsigned char uchar;\ntypedef unsigned short ushort;\n"
        "typedef unsigned int uint;\ntypedef unsigned long ulong;\n"
        "template <class T> __device__ T stretto_acc_max(T a, T b) { return a < b ? b : a; }\n"
        "template <class T> __device__ T stretto_acc_min(T a, T b) { return b < a ? b : a; }\n";
  // acc_device_not_host is 4, acc_device_nvidia 5.
  text += fmt::format(
      "{0}long stretto_acc_trips(long distance, long step) {{\n"
      "  return distance <= 0 ? 0 : (distance - 1) / step + 1;\n"
      "}}\n"
      "{0}int stretto_acc_on_device(int type) {{ return type == 4{1}; }}\n",
      function_head(), is_opencl() ? "" : " || type == 5");
  // As a float: it is also the infinity of double.
  return text + fmt::format(
                    "{}float stretto_acc_infinity() {{\n"
                    "  union {{ uint bits; float value; }} all;\n"
                    "  all.bits = 0x7f800000;\n"
                    "  return all.value;\n"
                    "}}\n",
                    function_head());
}

}  // namespace stretto::cc::acc
