#include "device/kernel_preludes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/process_wide.hpp"

namespace stretto::device {

namespace {

// Ids use the program's axes. The program's last axis is the device's first, whose neighbours run together. If ids
// are known to fit into int, they are computed as int: compilers then see that neighbouring items access neighbouring
// elements, also if a body stores an id in an int.
constexpr std::string_view shared = R"(
typedef struct { int64_t offset; int64_t stride[3]; int64_t skip; } stretto_array;
typedef struct { int64_t min[3]; int64_t count[3]; } stretto_launch;
#if STRETTO_INDEXING >= 1
#define STRETTO_LAST(stride) 1
#define STRETTO_ID_TYPE int
#else
#define STRETTO_LAST(stride) ((STRETTO_SUM_TYPE)(stride))
#define STRETTO_ID_TYPE int64_t
#endif
#if STRETTO_INDEXING >= 2
#define STRETTO_SUM_TYPE int
#else
#define STRETTO_SUM_TYPE int64_t
#endif
#define STRETTO_PART_OF_ID(x) ((STRETTO_ID_TYPE)(x))
#define STRETTO_AXIS(a) (STRETTO_DIMENSIONS - 1 - (a))
#define STRETTO_ID(a) ((a) < STRETTO_DIMENSIONS ? STRETTO_PART_OF_ID(STRETTO_DEVICE_ID((a) < STRETTO_DIMENSIONS ? STRETTO_AXIS(a) : 0)) : 0)
#define STRETTO_BEGIN_ITEM \
  const STRETTO_ID_TYPE stretto_ids[3] = {STRETTO_ID(0), STRETTO_ID(1), STRETTO_ID(2)}; \
  if (STRETTO_IS_BEYOND_RANGE) return;
#define STRETTO_BEGIN_GROUP
#define denormals_are_zero() ((void)0)
#define global_id(a) ((int64_t)(STRETTO_PART_OF_ID(stretto_ids[a]) + STRETTO_PART_OF_ID(stretto_range.min[a])))
#define global_size(a) (stretto_range.count[a])
#define global_min(a) (stretto_range.min[a])
#define STRETTO_ITEMS (stretto_range.count[0] * stretto_range.count[1] * stretto_range.count[2])
#define STRETTO_ITEM_NUMBER (((int64_t)stretto_ids[0] * stretto_range.count[1] + stretto_ids[1]) * stretto_range.count[2] + stretto_ids[2])
#define STRETTO_FOREACH(index, first, last) \
  for (int64_t index = (first) + STRETTO_ITEM_NUMBER; index < (int64_t)(last); index += STRETTO_ITEMS)
#define group_id(a) ((int64_t)(STRETTO_PART_OF_ID(STRETTO_DEVICE_GROUP(STRETTO_AXIS(a))) + STRETTO_PART_OF_ID(stretto_range.min[a])))
#define group_size(a) ((int64_t)STRETTO_DEVICE_GROUP_SIZE(STRETTO_AXIS(a)))
#define group_count(a) (stretto_range.count[a])
#define stretto_item_local_id(a) ((int64_t)STRETTO_DEVICE_LOCAL(STRETTO_AXIS(a)))
#define stretto_item_global_id(a) \
  ((int64_t)(STRETTO_PART_OF_ID(group_id(a)) * STRETTO_PART_OF_ID(group_size(a)) + STRETTO_PART_OF_ID(stretto_item_local_id(a))))
)";

// Groups have one item along all axes except the device's first (opencl_launch.cpp). Only the last group of a line
// can exceed the range, so the other groups test no item and their loops over items have no condition. The first of
// two numbers decides the type, as on the host: OpenCL has an overload per type, and none for mixed types.
constexpr std::string_view opencl = R"(
#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif
typedef char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef uchar uint8_t; typedef ushort uint16_t; typedef uint uint32_t; typedef ulong uint64_t;
#define STRETTO_GLOBAL __global
#define STRETTO_LOCAL __local
#define STRETTO_LOCAL_POINTER __local
#define STRETTO_RESTRICT restrict
#define STRETTO_CONSTANT __constant const
#define STRETTO_FUNCTION static inline
#define STRETTO_ENTRY __kernel void
#define STRETTO_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define STRETTO_DEVICE_ID(a) (get_global_id(a) - get_global_offset(a))
#define STRETTO_IS_BEYOND_RANGE (STRETTO_GROUP_GOES_BEYOND && stretto_ids[STRETTO_DIMENSIONS - 1] >= STRETTO_PART_OF_ID(stretto_range.count[STRETTO_DIMENSIONS - 1]))
#define STRETTO_GROUP_GOES_BEYOND \
  ((int64_t)((get_group_id(0) + 1) * get_local_size(0)) > stretto_range.count[STRETTO_DIMENSIONS - 1])
#define STRETTO_DEVICE_GROUP(a) get_group_id(a)
#define STRETTO_DEVICE_GROUP_SIZE(a) get_local_size(a)
#define STRETTO_DEVICE_LOCAL(a) get_local_id(a)
#define STRETTO_TYPE(x) __typeof__((x) + 0)
#define stretto_abs(x) ((STRETTO_TYPE(x))abs((x) + 0))
#define stretto_min(x, y) min((x) + 0, (STRETTO_TYPE(x))(y))
#define stretto_max(x, y) max((x) + 0, (STRETTO_TYPE(x))(y))
#define stretto_fmin(x, y) fmin(x, (STRETTO_TYPE(x))(y))
#define stretto_fmax(x, y) fmax(x, (STRETTO_TYPE(x))(y))
#define stretto_pow(x, y) pow(x, (STRETTO_TYPE(x))(y))
#define stretto_atan2(x, y) atan2(x, (STRETTO_TYPE(x))(y))
#define stretto_fmod(x, y) fmod(x, (STRETTO_TYPE(x))(y))
#define stretto_hypot(x, y) hypot(x, (STRETTO_TYPE(x))(y))
#define stretto_fma(x, y, z) fma(x, (STRETTO_TYPE(x))(y), (STRETTO_TYPE(x))(z))
)";

// NVRTC has no headers, so types are defined here as 64-bit hosts define them: long is int64_t there too.
constexpr std::string_view cuda = R"(
#define int8_t signed char
#define int16_t short
#define int32_t int
#define int64_t long
#define uint8_t unsigned char
#define uint16_t unsigned short
#define uint32_t unsigned
#define uint64_t unsigned long
extern __shared__ __align__(16) char stretto_shared[];
#define STRETTO_GLOBAL
#define STRETTO_LOCAL __shared__
#define STRETTO_LOCAL_POINTER
#define STRETTO_RESTRICT __restrict__
#define STRETTO_CONSTANT static __device__ const
#define STRETTO_FUNCTION static __device__ __forceinline__
#define STRETTO_ENTRY extern "C" __global__ void
#define STRETTO_BARRIER __syncthreads()
#define STRETTO_PICK(a, what) ((a) == 0 ? what.x : (a) == 1 ? what.y : what.z)
#ifdef STRETTO_BLOCKS_IN_LINE
#define STRETTO_BLOCK(a) stretto_block(stretto_range, a)
#else
#define STRETTO_BLOCK(a) STRETTO_PICK(a, blockIdx)
#endif
#define STRETTO_DEVICE_ID(a) \
  (STRETTO_PART_OF_ID(STRETTO_BLOCK(a)) * STRETTO_PART_OF_ID(STRETTO_PICK(a, blockDim)) + STRETTO_PART_OF_ID(STRETTO_PICK(a, threadIdx)))
#define STRETTO_IS_BEYOND_RANGE \
  (STRETTO_ENDS_BEFORE(0) || STRETTO_ENDS_BEFORE(1) || STRETTO_ENDS_BEFORE(2))
#define STRETTO_ENDS_BEFORE(a) (stretto_ids[a] >= STRETTO_PART_OF_ID(stretto_range.count[a]))
#define STRETTO_DEVICE_GROUP(a) STRETTO_BLOCK(a)
#define STRETTO_DEVICE_GROUP_SIZE(a) STRETTO_PICK(a, blockDim)
#define STRETTO_DEVICE_LOCAL(a) STRETTO_PICK(a, threadIdx)
template <class T> struct stretto_same { typedef T type; };
)";

// The text behind the types of ranges. The first argument decides the type, as on the host; overloads of CUDA may
// decide otherwise.
constexpr std::string_view cuda_functions = R"(
#ifdef STRETTO_BLOCKS_IN_LINE
static __device__ __forceinline__ int64_t stretto_block(const stretto_launch& range, int a) {
  int64_t n = blockIdx.x, blocks = 1;
  for (int k = 0; k <= a; ++k) {
    n /= blocks;
    const int64_t size = STRETTO_BLOCKS_IN_LINE == 2 ? 1 : STRETTO_PICK(k, blockDim);
    blocks = (range.count[STRETTO_AXIS(k)] + size - 1) / size;
  }
  return n % blocks;
}
#endif
#define STRETTO_OF_TWO(name, result) \
  template <class T> static __device__ __forceinline__ T stretto_##name(T x, typename stretto_same<T>::type y) { return result; }
STRETTO_OF_TWO(min, y < x ? y : x)
STRETTO_OF_TWO(max, x < y ? y : x)
STRETTO_OF_TWO(fmin, y < x ? y : x)
STRETTO_OF_TWO(fmax, x < y ? y : x)
STRETTO_OF_TWO(pow, pow(x, y))
STRETTO_OF_TWO(atan2, atan2(x, y))
STRETTO_OF_TWO(fmod, fmod(x, y))
STRETTO_OF_TWO(hypot, hypot(x, y))
template <class T> static __device__ __forceinline__ T stretto_abs(T x) { return x < 0 ? -x : x; }
template <class T> static __device__ __forceinline__ T
stretto_fma(T x, typename stretto_same<T>::type y, typename stretto_same<T>::type z) { return fma(x, y, z); }
)";

struct vector_type {
  std::string_view name, component;
  int components, bytes;
};
constexpr std::array<vector_type, 9> vector_types{{{"stretto_float2", "float", 2, 8},
                                                   {"stretto_float4", "float", 4, 16},
                                                   {"stretto_double2", "double", 2, 16},
                                                   {"stretto_int2", "int32_t", 2, 8},
                                                   {"stretto_int4", "int32_t", 4, 16},
                                                   {"stretto_uint2", "uint32_t", 2, 8},
                                                   {"stretto_uint4", "uint32_t", 4, 16},
                                                   {"stretto_long2", "int64_t", 2, 16},
                                                   {"stretto_ulong2", "uint64_t", 2, 16}}};

/// "a.x + b.x, a.y + b.y" of "a.# + b.#".
std::string of_each_component(const vector_type& v, std::string_view pattern) {
  std::string all;
  for (const char c : std::string_view("xyzw").substr(0, static_cast<std::size_t>(v.components))) {
    if (!all.empty()) all += ", ";
    for (const char p : pattern) all += p == '#' ? c : p;
  }
  return all;
}

/// As short_vector.hpp has it for the host.
std::string cuda_vector(const vector_type& v) {
  std::string text = fmt::format(
      "struct __align__({bytes}) {name} {{\n"
      "  {component} {members};\n"
      "  {name}() = default;\n"
      "  __device__ __forceinline__ constexpr {name}({parameters}) : {set} {{}}\n"
      "  __device__ __forceinline__ explicit constexpr {name}({component} all) : {set_all} {{}}\n"
      "}};\n"
      "STRETTO_FUNCTION {name} operator-({name} a) {{ return {name}({negated}); }}\n",
      fmt::arg("bytes", v.bytes), fmt::arg("name", v.name), fmt::arg("component", v.component),
      fmt::arg("members", of_each_component(v, "#")),
      fmt::arg("parameters", of_each_component(v, fmt::format("{} #_", v.component))),
      fmt::arg("set", of_each_component(v, "#(#_)")), fmt::arg("set_all", of_each_component(v, "#(all)")),
      fmt::arg("negated", of_each_component(v, "-a.#")));
  for (const char o : std::string_view("+-*/"))
    text += fmt::format(
        "STRETTO_FUNCTION {name} operator{o}({name} a, {name} b) {{ return {name}({both}); }}\n"
        "STRETTO_FUNCTION {name} operator{o}({name} a, {component} b) {{ return a {o} {name}(b); "
        "}}\n"
        "STRETTO_FUNCTION {name} operator{o}({component} a, {name} b) {{ return {name}(a) {o} b; "
        "}}\n"
        "STRETTO_FUNCTION {name}& operator{o}=({name}& a, {name} b) {{ return a = a {o} b; }}\n"
        "STRETTO_FUNCTION {name}& operator{o}=({name}& a, {component} b) {{ return a = a {o} b; "
        "}}\n",
        fmt::arg("name", v.name), fmt::arg("component", v.component), fmt::arg("o", o),
        fmt::arg("both", of_each_component(v, fmt::format("a.# {} b.#", o))));
  return text;
}

struct atomic_change {
  std::string_view name, to;
  bool of_bits = false;  // of integers alone
};
constexpr std::array<atomic_change, 7> atomic_changes{{{"add", "old.value + x"},
                                                       {"min", "x < old.value ? x : old.value"},
                                                       {"max", "old.value < x ? x : old.value"},
                                                       {"multiply", "old.value * x"},
                                                       {"and", "old.value & x", true},
                                                       {"or", "old.value | x", true},
                                                       {"xor", "old.value ^ x", true}}};

/// The integer type of the same size; empty if atomics do not support the type.
std::string_view word_of(std::string_view type) {
  if (type == "int32_t" || type == "uint32_t" || type == "float") return "uint32_t";
  return type == "int64_t" || type == "uint64_t" || type == "double" ? "uint64_t" : "";
}
bool is_floating(std::string_view type) { return type == "float" || type == "double"; }

/// OpenCL's built-in function for integers; an extension has some for 64 bits. Empty if there is none.
std::string opencl_function(std::string_view type, std::string_view change) {
  if (is_floating(type) || change == "multiply") return {};
  if (word_of(type) == "uint32_t") return fmt::format("atomic_{}", change);
  return change == "add" ? "atom_add" : "";
}

// A compare-and-swap loop if there is no built-in function. Every device has it for 32 bits; for 64 bits it needs the
// extension.
std::string opencl_atomic(const atomic_function& f, std::string_view to) {
  const std::string_view word = word_of(f.type), space = f.is_global ? "global" : "local";
  const bool wide = word == "uint64_t";
  const std::string own = opencl_function(f.type, f.change);
  std::string text = fmt::format("static inline {0} {1}(volatile __{2} {0}* at, {0} x) {{\n", f.type, f.name(), space);
  if (!own.empty()) return text + fmt::format("  return {}(at, x);\n}}\n", own);
  return text + fmt::format(
                    "  union {{ {0} value; {1} word; }} old, next;\n"
                    "  {1} seen = *(volatile __{2} {1}*)at;\n"
                    "  do {{ old.word = seen; next.value = {3};\n"
                    "    seen = {4}((volatile __{2} {1}*)at, old.word, next.word); }} while (seen != old.word);\n"
                    "  return old.value;\n}}\n",
                    f.type, word, space, to, wide ? "atom_cmpxchg" : "atomic_cmpxchg");
}

/// CUDA's built-in function and its type; empty if there is none.
struct cuda_function {
  std::string_view name, as;
};
cuda_function cuda_function_of(std::string_view type, std::string_view change) {
  const bool sum = change == "add", wide = word_of(type) == "uint64_t";
  const std::string_view integer = !wide ? type : type == "uint64_t" || sum ? "unsigned long long" : "long long";
  if (is_floating(type)) return sum ? cuda_function{"atomicAdd", type} : cuda_function{};
  if (sum) return {"atomicAdd", integer};
  if (change == "min") return {"atomicMin", integer};
  if (change == "max") return {"atomicMax", integer};
  const std::string_view bits = wide ? "unsigned long long" : type;
  if (change == "and") return {"atomicAnd", bits};
  if (change == "or") return {"atomicOr", bits};
  return change == "xor" ? cuda_function{"atomicXor", bits} : cuda_function{};
}

std::string cuda_atomic(const atomic_function& f, std::string_view to) {
  const std::string_view word = word_of(f.type) == "uint64_t" ? "unsigned long long" : "unsigned";
  const auto [own, as] = cuda_function_of(f.type, f.change);
  const bool only_of_late = f.type == "double" && !own.empty();  // since compute capability 6.0
  std::string text = fmt::format("static __device__ __forceinline__ {0} {1}({0}* at, {0} x) {{\n", f.type, f.name());
  if (only_of_late) text += "#if __CUDA_ARCH__ >= 600\n";
  if (!own.empty()) text += fmt::format("  return ({0}){1}(({2}*)at, ({2})x);\n", f.type, own, as);
  if (only_of_late) text += "#else\n";
  if (own.empty() || only_of_late)
    text += fmt::format(
        "  union {{ {0} value; {1} word; }} old, next;\n"
        "  {1} seen = *(volatile {1}*)at;\n"
        "  do {{ old.word = seen; next.value = {2}; seen = atomicCAS(({1}*)at, old.word, next.word); }} while "
        "(seen != old.word);\n"
        "  return old.value;\n",
        f.type, word, to);
  if (only_of_late) text += "#endif\n";
  return text + "}\n";
}

}  // namespace

const std::string& prelude(dialect d) {
  static const std::string& of_opencl = base::make_process_constant([] { return fmt::format("{}{}", opencl, shared); });
  static const std::string& of_cuda =
      base::make_process_constant([] { return fmt::format("{}{}{}", cuda, shared, cuda_functions); });
  return d == dialect::opencl ? of_opencl : of_cuda;
}

std::string text_of_checked_element(dialect d) {
  return fmt::format(
      "typedef struct {{ STRETTO_GLOBAL int64_t* words; int64_t parameter; int64_t item[3]; }} stretto_look;\n"
      "STRETTO_FUNCTION int stretto_is_within(STRETTO_GLOBAL const int64_t* box, int64_t i, int64_t j, int64_t k) {{\n"
      "  return i >= box[0] && i < box[3] && j >= box[1] && j < box[4] && k >= box[2] && k < box[5];\n"
      "}}\n"
      "STRETTO_FUNCTION int64_t stretto_element(const stretto_look look, const stretto_array array, int64_t i, int64_t "
      "j, int64_t k) {{\n"
      "  STRETTO_GLOBAL int64_t* boxes = look.words + look.words[{start} + look.parameter];\n"
      "  const int64_t count = boxes[0];\n"
      "  int is_named = count == 0;\n"
      "  for (int64_t b = 1; b <= count; ++b) is_named = is_named || stretto_is_within(boxes + 1 + 6 * b, i, j, k);\n"
      "  if (is_named && stretto_is_within(boxes + 1, i, j, k))\n"
      "    return array.offset + i * array.stride[0] + j * array.stride[1] + k * array.stride[2];\n"
      "  if ({first}) {{\n"
      "    look.words[{parameter}] = look.parameter;\n"
      "    look.words[{index}] = i; look.words[{index} + 1] = j; look.words[{index} + 2] = k;\n"
      "    for (int a = 0; a < 3; ++a) look.words[{item} + a] = look.item[a];\n"
      "  }}\n"
      "  return 0;\n"
      "}}\n"
      "#define STRETTO_ITEM(id, a) ((a) < STRETTO_DIMENSIONS ? id((a) < STRETTO_DIMENSIONS ? (a) : 0) : 0)\n",
      fmt::arg("start", checked_words::first_start), fmt::arg("parameter", checked_words::parameter),
      fmt::arg("index", checked_words::index), fmt::arg("item", checked_words::item),
      fmt::arg("first", d == dialect::opencl ? "atomic_cmpxchg((volatile __global uint32_t*)look.words, 0u, 1u) == 0u"
                                             : "atomicCAS((uint32_t*)look.words, 0u, 1u) == 0u"));
}

bool is_short_vector(std::string_view name) noexcept {
  return std::ranges::find(vector_types, name, &vector_type::name) != vector_types.end();
}

std::string text_of_vectors(const std::set<std::string>& names, dialect d) {
  std::string text;
  for (const vector_type& v : vector_types) {
    if (!names.contains(std::string(v.name))) continue;
    text += d == dialect::cuda
                ? cuda_vector(v)
                : fmt::format("typedef {} {};\n", v.name.substr(std::string_view("stretto_").size()), v.name);
  }
  return text;
}

std::string atomic_function::name() const {
  return fmt::format("stretto_atomic_{}_{}_{}", change, type, is_global ? "global" : "local");
}

std::string text_of(const std::set<atomic_function>& used, dialect d) {
  std::string text;
  for (const atomic_function& f : used)
    for (const atomic_change& c : atomic_changes)
      if (c.name == f.change && !word_of(f.type).empty() && !(c.of_bits && is_floating(f.type)))
        text += d == dialect::opencl ? opencl_atomic(f, c.to) : cuda_atomic(f, c.to);
  return text;
}

// Decision 0016. Items of a group may run in lockstep, so no item may wait inside the loop for another one that has
// not left it. Values that others wrote are read from memory, not from this item's cache.
std::string text_of(const locked_fold& f, dialect d) {
  const bool is_opencl = d == dialect::opencl;
  const std::string_view word = f.unit == 4   ? "uint32_t"
                                : f.unit == 2 ? "uint16_t"
                                              : "uint8_t",
                         global = is_opencl ? "__global " : "";
  const std::string_view fence = is_opencl ? "mem_fence(CLK_GLOBAL_MEM_FENCE)" : "__threadfence()";
  return fmt::format(
      "STRETTO_FUNCTION void {name}({global}{type}* at, {type} by, {global}uint32_t* locks) {{\n"
      "  volatile {global}uint32_t* lock = locks + ((uint64_t)at / {bytes}u & {mask}u);\n"
      "  volatile {global}{word}* there = (volatile {global}{word}*)at;\n"
      "  union {{ {type} value; {word} words[{words}]; }} now;\n"
      "  for (int is_done = 0; !is_done;)\n"
      "    if ({take} == 0u) {{\n"
      "      {fence};\n"
      "      for (int k = 0; k < {words}; ++k) now.words[k] = there[k];\n"
      "      now.value = {combines}(now.value, by);\n"
      "      for (int k = 0; k < {words}; ++k) there[k] = now.words[k];\n"
      "      {fence};\n"
      "      {give};\n"
      "      is_done = 1;\n"
      "    }}\n"
      "}}\n",
      fmt::arg("name", f.name()), fmt::arg("global", global), fmt::arg("type", f.type), fmt::arg("bytes", f.bytes),
      fmt::arg("mask", f.locks - 1), fmt::arg("word", word), fmt::arg("words", f.bytes / f.unit),
      fmt::arg("combines", f.combines), fmt::arg("fence", fence),
      fmt::arg("take", is_opencl ? "atomic_cmpxchg(lock, 0u, 1u)" : "atomicCAS((uint32_t*)lock, 0u, 1u)"),
      fmt::arg("give", is_opencl ? "atomic_xchg(lock, 0u)" : "atomicExch((uint32_t*)lock, 0u)"));
}

}  // namespace stretto::device
