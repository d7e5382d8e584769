// native_kernel.hpp - kernels that the program brings: its own OpenCL C or CUDA code, host functions, calls of a
// library.
//
//     const native_kernel<void(kernels::in<float>, kernels::inout<float>, float)> saxpy({
//         .name = "saxpy",
//         .host = [](const kernel_work& w, auto x, auto y, float a) {
//           for (auto i = w.min[0]; i < w.max[0]; ++i) y(i) += a * x(i);
//         },
//         .opencl = native_code::file("saxpy.cl"),
//         .cuda = native_code::binary_file("saxpy.ptx"),
//     });
//     launch(saxpy, box(0, n), x, y, 2.0f);
//
// It is launched as any other kernel, on instances and on objects, and computed where there is code for it. In place of
// code it may have calls: a function that enqueues what it likes into the stream that it is handed, cuBLAS or CLBlast
// for example; what it enqueued is the operation, and its end is the operation's.
//
// Threads     a native kernel may be launched from any thread; its functions are called from any thread, several at
//             once.
// Cost        of a launch: as that of other kernels. What one is made of is kept until the program ends.
// Invariants  (1) code is compiled or loaded when it is first launched on a device. (2) calls are made once per launch,
//             in the order of the stream.
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

/// The types of parameters, for signatures: what the macros know as in, out, inout, local and reduce.
namespace kernels {
template <class T, std::size_t D = 1>
using in = language<false>::in<T, D>;
template <class T, std::size_t D = 1>
using out = language<false>::out<T, D>;
template <class T, std::size_t D = 1>
using inout = language<false>::inout<T, D>;
template <class Op, std::size_t D = 1>
using reduce = language<false>::reduce<Op, D>;
template <class T>
using local = language<false>::local<T>;
}  // namespace kernels

/// Code for one kind of device.
///
/// Its entry has the parameters of the signature: an array is a pointer to its first element (with_layouts: and a
/// native_layout behind it), a value is itself. Local memory: in OpenCL a __local pointer; in CUDA no parameter, but
/// dynamic shared memory. Ids count from 0 and the device's first axis is the range's last; groups are those of the
/// launch, or as the device likes: then CUDA computes whole groups, and items beyond the range must do nothing.
struct native_code {
  enum class form : std::uint8_t { none, text, file, binary, binary_file };
  form is = form::none;
  std::string what;     // text or bytes, or the file's name
  std::string entry;    // empty: the kernel's name
  std::string options;  // of the compiler, between blanks

  /// OpenCL C, or CUDA C++ whose entry is extern "C" __global__.
  static native_code text(std::string source) { return {form::text, std::move(source), {}, {}}; }
  /// The same from a file, read when it is first launched.
  static native_code file(std::string name) { return {form::file, std::move(name), {}, {}}; }
  /// What the driver's compiler made for this device; of CUDA: PTX, a cubin or a fatbin.
  static native_code binary(std::string bytes) { return {form::binary, std::move(bytes), {}, {}}; }
  static native_code binary_file(std::string name) { return {form::binary_file, std::move(name), {}, {}}; }

  native_code with_entry(std::string name) && { return entry = std::move(name), std::move(*this); }
  native_code with_options(std::string words) && { return options = std::move(words), std::move(*this); }
};

/// What stands behind each array's pointer where with_layouts is set, by value; the pointer is then that of the whole
/// instance. In device code: typedef struct { long offset; long stride[3]; } with 64-bit integers.
struct native_layout {
  std::int64_t offset = 0;             ///< elements from the pointer to the first element of the launch's part
  std::int64_t stride[3] = {0, 0, 0};  ///< elements from one coordinate to the next
};

/// What calls are handed of the device: void* stand for the driver's types, which this header does not know.
struct native_call {
  enum class kind : std::uint8_t { host, opencl, cuda };
  kind is = kind::host;
  void* device = nullptr;   ///< OpenCL: cl_device_id
  void* context = nullptr;  ///< OpenCL: cl_context. CUDA: CUcontext, which is the thread's current one
  void* queue = nullptr;    ///< OpenCL: cl_command_queue, in order. CUDA: CUstream
  kernel_work work;         ///< the range of the launch
};

/// An array as calls are handed it.
template <class T, std::size_t D = 1>
struct native_array {
  T* data = nullptr;             ///< host and simulated devices: the first element. CUDA: its CUdeviceptr. OpenCL: null
  void* buffer = nullptr;        ///< OpenCL: cl_mem, in which the first element is ...
  std::size_t offset_bytes = 0;  ///< ... so far from the beginning
  std::int64_t stride[D] = {};   ///< elements from one coordinate to the next
  std::int64_t min[D] = {}, max[D] = {};  ///< its box; `data` is the element at min

  std::int64_t length(int axis) const noexcept { return max[axis] - min[axis]; }
};

/// A kernel without its types, as devices see it.
class native_functions {
 public:
  native_functions() = default;
  native_functions(const native_functions&) = delete;
  virtual ~native_functions() = default;

  native_code opencl, cuda;
  bool with_layouts = false;

  virtual bool has_calls(native_call::kind on) const noexcept = 0;
  /// Where the arrays are, by parameter: the first element's address, or buffer and offset.
  struct location {
    void* data = nullptr;
    void* buffer = nullptr;
    std::size_t offset_bytes = 0;
  };
  virtual void call(const native_call& on, const kernel_argument* arguments, const location* where) const = 0;
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
/// Lives until the program ends.
const kernel_code& keep_native(native_request request, std::unique_ptr<native_functions> functions,
                               const std::source_location& where);

/// What calls get for a parameter.
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

template <class... P>
class native_kernel<void(P...)> : public kernel<void(P...)> {
 public:
  using calls = std::function<void(const native_call&, typename detail::handed<P>::type...)>;

  /// What there is of it: code, or calls, for each kind of device; for the host a function that computes the items of
  /// `work`, the parts of a launch side by side, or calls. Simulated devices do what the host does.
  struct definition {
    std::string name = {};
    bool in_groups = false;  ///< launched over in_groups(...)
    std::function<void(const kernel_work& work, P...)> host = {};
    calls host_calls = {};
    native_code opencl = {};
    calls opencl_calls = {};
    native_code cuda = {};
    calls cuda_calls = {};
    /// Each array's pointer is followed by a native_layout: without, arrays have to be dense, the last axis fastest.
    bool with_layouts = false;
  };

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
