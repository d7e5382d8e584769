// native_kernel.hpp - kernels from the program's own OpenCL C or CUDA code, host functions, or calls of a library.
//
//     void saxpy_on_any_device(const object<float>& x, const object<float>& y) {
//       static const native_kernel<void(kernels::in<float>, kernels::inout<float>, float)> saxpy({
//           .name = "saxpy",
//           .host = [](const kernel_work& work, auto from, auto to, float a) {
//             for (auto i = work.min[0]; i < work.max[0]; ++i) to(i) += a * from(i);
//           },
//           .opencl = native_code::file("saxpy.cl"),
//           .cuda = native_code::binary_file("saxpy.ptx"),
//       });
//       launch(saxpy, x.elements(), x, y, 2.0f);
//     }
//
// A native kernel is launched as any other kernel, on instances, objects and buffers, on the devices for which it has
// code. Instead of code it may have calls: a function that enqueues operations, such as those of cuBLAS or CLBlast,
// into the stream that it gets. The launch then ends when these operations have ended.
//
// Threads     any thread may launch a native kernel. Its functions run on any threads, several at the same time.
// Cost        a launch costs as much as that of other kernels. The kernel's definition lives until the program ends.
// Invariants  (1) code is compiled or loaded by its first launch on a device. (2) calls are made once per launch, in
//             the order of the stream.
// Source      native kernels and interoperability tasks: OCCA, SYCL 2020's host_task.
#pragma once

#include <stretto/kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

/// The types of kernel parameters for the signature of a native kernel: in, out, inout, reduce and local, as in bodies.
namespace kernels {
/// An array of D dimensions that the kernel only reads.
template <class T, std::size_t D = 1>
using in = language<false>::in<T, D>;
/// An array of which the kernel writes every element that the launch names.
template <class T, std::size_t D = 1>
using out = language<false>::out<T, D>;
/// An array that the kernel reads and writes.
template <class T, std::size_t D = 1>
using inout = language<false>::inout<T, D>;
/// An array to which items contribute by the operator Op.
template <class Op, std::size_t D = 1>
using reduce = language<false>::reduce<Op, D>;
/// Memory of a group.
template <class T>
using local = language<false>::local<T>;
}  // namespace kernels

/// The device code of a native kernel, for one kind of device.
///
/// Its entry function has the parameters of the signature: an array is a pointer to its first element, followed by a
/// native_layout if with_layouts is set; a value is passed by value. Local memory is a __local pointer in OpenCL; in
/// CUDA it is no parameter but dynamic shared memory. Ids count from 0, and the device's first axis is the last axis of
/// the range. Groups are those of the launch. For a launch without groups the device chooses; CUDA then computes whole
/// groups, and items beyond the range must return.
struct native_code {
  enum class form : std::uint8_t { none, text, file, binary, binary_file };
  form is = form::none;
  std::string what;     // the text, the bytes, or the file's name
  std::string entry;    // empty: the kernel's name
  std::string options;  // of the compiler, separated by blanks

  /// Source text: OpenCL C, or CUDA C++ with an extern "C" __global__ entry. Throws std::bad_alloc only.
  static native_code text(std::string source) { return {form::text, std::move(source), {}, {}}; }
  /// Source text in a file, which the first launch reads; that launch fails with K17 if it cannot. Throws
  /// std::bad_alloc only.
  static native_code file(std::string name) { return {form::file, std::move(name), {}, {}}; }
  /// Compiled code: an OpenCL program binary of this device, or PTX, a cubin or a fatbin for CUDA. Throws
  /// std::bad_alloc only.
  static native_code binary(std::string bytes) { return {form::binary, std::move(bytes), {}, {}}; }
  /// Compiled code in a file, which the first launch reads. Throws std::bad_alloc only.
  static native_code binary_file(std::string name) { return {form::binary_file, std::move(name), {}, {}}; }

  /// The same code with another name of its entry function. Throws std::bad_alloc only.
  native_code with_entry(std::string name) && { return entry = std::move(name), std::move(*this); }
  /// The same code with options for its compiler. Throws std::bad_alloc only.
  native_code with_options(std::string words) && { return options = std::move(words), std::move(*this); }
};

/// The parameter behind each array's pointer if with_layouts is set, by value; the pointer is then that of the whole
/// instance. In device code: typedef struct { long offset; long stride[3]; } with 64-bit integers.
struct native_layout {
  std::int64_t offset = 0;             ///< elements from the pointer to the first element of the launch's part
  std::int64_t stride[3] = {0, 0, 0};  ///< elements from one coordinate to the next
};

/// The device and stream of a call. Driver types are void*, because this header includes no driver headers.
struct native_call {
  enum class kind : std::uint8_t { host, opencl, cuda };
  kind is = kind::host;
  void* device = nullptr;   ///< OpenCL: cl_device_id
  void* context = nullptr;  ///< OpenCL: cl_context. CUDA: CUcontext, which is the thread's current one
  void* queue = nullptr;    ///< OpenCL: cl_command_queue, in order. CUDA: CUstream
  kernel_work work;         ///< the range of the launch
};

/// An array argument of a call.
template <class T, std::size_t D = 1>
struct native_array {
  T* data = nullptr;             ///< host and simulated devices: the first element. CUDA: its CUdeviceptr. OpenCL: null
  void* buffer = nullptr;        ///< OpenCL: cl_mem, in which the first element is ...
  std::size_t offset_bytes = 0;  ///< ... so many bytes from the beginning
  std::int64_t stride[D] = {};   ///< elements from one coordinate to the next
  std::int64_t min[D] = {}, max[D] = {};  ///< its box; `data` is the element at min

  /// The number of elements along an axis.
  std::int64_t length(int axis) const noexcept { return max[axis] - min[axis]; }
};

/// A native kernel without its types: the interface for devices. For Stretto itself.
class native_functions {
 public:
  native_functions() = default;
  native_functions(const native_functions&) = delete;
  virtual ~native_functions() = default;

  native_code opencl, cuda;
  bool with_layouts = false;

  /// Whether it has calls for this kind of device.
  virtual bool has_calls(native_call::kind on) const noexcept = 0;
  /// The location of an array argument: the first element's address, or buffer and offset.
  struct location {
    void* data = nullptr;
    void* buffer = nullptr;
    std::size_t offset_bytes = 0;
  };
  /// Makes the calls of one launch. Throws what they throw; the launch then fails.
  virtual void call(const native_call& on, const kernel_argument* arguments, const location* where) const = 0;
  /// Computes a range on the host. Throws what the host function throws.
  virtual void run(const kernel_work& work, const kernel_argument* arguments) const = 0;
};

namespace detail {

struct native_request {
  std::string name;
  bool in_groups = false;
  bool is_whole = false;  // the host's function computes a launch in one call
  std::span<const kernel_parameter> parameters;
  kernel_code::host_function run = nullptr;
};
/// Keeps a native kernel until the program ends.
const kernel_code& keep_native(native_request request, std::unique_ptr<native_functions> functions,
                               const std::source_location& where);

/// The argument of a call for a parameter of type P.
template <class P>
struct handed {
  using type = P;
  static type from(const kernel_argument& a, const native_functions::location&) noexcept {
    return *reinterpret_cast<const P*>(a.origin);
  }
};
template <kernels::array_parameter P>
struct handed<P> {
  using element = std::conditional_t<P::mode == access::in, const typename P::element, typename P::element>;
  using type = native_array<element, P::axes>;
  static type from(const kernel_argument& a, const native_functions::location& where) noexcept {
    type made{static_cast<element*>(where.data), where.buffer, where.offset_bytes, {}, {}, {}};
    for (std::size_t i = 0; i < P::axes; ++i)
      made.stride[i] = a.stride[i], made.min[i] = a.min[i], made.max[i] = a.max[i];
    return made;
  }
};

}  // namespace detail

template <class Signature>
class native_kernel;

/// A kernel with its own device code and host function, for launch. The signature lists the parameter types of
/// namespace kernels, and values.
template <class... P>
class native_kernel<void(P...)> : public kernel<void(P...)> {
 public:
  using calls = std::function<void(const native_call&, typename detail::handed<P>::type...)>;

  /// The parts of a native kernel: code or calls for each kind of device; for the host a function that computes the
  /// items of `work`, called for several parts of a launch at the same time, or calls. Simulated devices use those of
  /// the host.
  struct definition {
    std::string name = {};   ///< in errors and traces, and of the entry function unless native_code names one
    bool in_groups = false;  ///< launched over in_groups(...)
    std::function<void(const kernel_work& work, P...)> host = {};  // computes the items of `work`
    calls host_calls = {};                                         // makes a whole launch on the host
    native_code opencl = {};                                       // code for OpenCL devices
    calls opencl_calls = {};                                       // or calls for them
    native_code cuda = {};                                         // code for CUDA devices
    calls cuda_calls = {};                                         // or calls for them
    /// Passes a native_layout behind each array's pointer. Without it, arrays must be dense with the last axis
    /// contiguous.
    bool with_layouts = false;
  };

  /// Defines the kernel for the rest of the program. Throws std::bad_alloc only; launches throw K14 to K18 for wrong
  /// code.
  explicit native_kernel(definition d, std::source_location where = std::source_location::current())
      : kernel<void(P...)>(keep(std::move(d), where)) {}

 private:
  using numbers = std::index_sequence_for<P...>;

  struct functions final : native_functions {
    definition is;

    bool has_calls(native_call::kind on) const noexcept override {
      return static_cast<bool>(on == native_call::kind::opencl ? is.opencl_calls
                               : on == native_call::kind::cuda ? is.cuda_calls
                                                               : is.host_calls);
    }
    void call(const native_call& on, const kernel_argument* a, const location* where) const override {
      call(on.is == native_call::kind::opencl ? is.opencl_calls
           : on.is == native_call::kind::cuda ? is.cuda_calls
                                              : is.host_calls,
           on, a, where, numbers());
    }
    void run(const kernel_work& work, const kernel_argument* a) const override { run(work, a, numbers()); }

   private:
    template <std::size_t... I>
    static void call(const calls& body, const native_call& on, const kernel_argument* a, const location* where,
                     std::index_sequence<I...>) {
      body(on, detail::handed<P>::from(a[I], where[I])...);
    }
    template <std::size_t... I>
    void run(const kernel_work& work, const kernel_argument* a, std::index_sequence<I...>) const {
      if (is.host) return is.host(work, detail::parameter_traits<P>::open(a[I], I)...);
      const native_call here{.work = work};
      is.host_calls(here,
                    detail::handed<P>::from(a[I], {first_of(a[I], detail::parameter_traits<P>::value), nullptr, 0})...);
    }
    static void* first_of(const kernel_argument& a, const kernel_parameter& p) noexcept {
      auto at = reinterpret_cast<std::intptr_t>(a.origin);  // the origin may lie outside of the array
      for (int i = 0; i < p.dimensions; ++i) at += a.min[i] * a.stride[i] * static_cast<std::int64_t>(p.element_bytes);
      return reinterpret_cast<void*>(at);
    }
  };

  static void run_on_host(const kernel_code& code, const kernel_work& work, const kernel_argument* arguments) {
    code.native->run(work, arguments);
  }

  static const kernel_code& keep(definition d, const std::source_location& where) {
    static constexpr std::array<kernel_parameter, sizeof...(P)> table{detail::parameter_traits<P>::value...};
    auto made = std::make_unique<functions>();
    detail::native_request request{d.name, d.in_groups, !d.host, table,
                                   d.host || d.host_calls ? &run_on_host : nullptr};
    made->opencl = std::move(d.opencl);
    made->cuda = std::move(d.cuda);
    made->with_layouts = d.with_layouts;
    made->is = std::move(d);
    return detail::keep_native(std::move(request), std::move(made), where);
  }
};

}  // namespace stretto

STRETTO_API_END
