#include "device/native_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>

#include "base/nearest_name.hpp"
#include "base/process_wide.hpp"
#include "base/whole_file.hpp"

namespace stretto {

namespace {

struct native_record {
  std::string name, file;
  std::unique_ptr<native_functions> functions;
  kernel_code code;
};
struct native_records {
  std::mutex mutex;
  std::deque<native_record> all;
};

}  // namespace

const kernel_code& detail::keep_native(native_request request, std::unique_ptr<native_functions> functions,
                                       const std::source_location& where) {
  // Devices identify kernels by address, so an address must never be reused.
  static native_records& of_process = base::make_process_wide<native_records>();
  const std::scoped_lock lock(of_process.mutex);
  native_record& kept = of_process.all.emplace_back();
  kept.name = std::move(request.name);
  kept.file = where.file_name();
  kept.functions = std::move(functions);
  kept.code.name = kept.name;
  kept.code.file = kept.file;
  kept.code.line = where.line();
  kept.code.in_groups = request.in_groups;
  kept.code.parameters = request.parameters;
  kept.code.run = kept.code.run_checked = request.run;
  kept.code.native = kept.functions.get();
  kept.code.is_whole = request.is_whole;
  return kept.code;
}

namespace device {

namespace {

error about(const char* code, const kernel_code& kernel, std::string sentence) {
  return error(code, std::move(sentence)).fact("kernel", fmt::format("{}:{}", kernel.file, kernel.line));
}

bool is_file(const native_code& c) noexcept {
  return c.is == native_code::form::file || c.is == native_code::form::binary_file;
}

}  // namespace

error without_code(const kernel_code& code, std::string_view where) {
  return about("K14", code, fmt::format("kernel \"{}\" has no code for {}", code.name, where))
      .because("its definition contains no code of that kind")
      .remedy("add it to the definition, or launch it where there is code: on(...)");
}

std::string content_of(const native_code& from, const kernel_code& code) {
  if (!is_file(from)) return from.what;
  constexpr std::uint64_t most_bytes = 1u << 30;
  auto content = base::read_whole(from.what, most_bytes);
  if (content) return std::move(content.text);
  throw about("K17", code, fmt::format("the code of kernel \"{}\" cannot be read", code.name))
      .fact("file", from.what)
      .because(content.fault)
      .remedy("use an absolute path, or start the program in the folder to which the path is relative");
}

std::string entry_of(const native_code& from, const kernel_code& code) {
  return from.entry.empty() ? std::string(code.name) : from.entry;
}

std::string origin_of(const native_code& from, const kernel_code& code) {
  return is_file(from) ? from.what : fmt::format("{}:{}", code.file, code.line);
}

error without_entry(const native_code& from, const kernel_code& code, const std::vector<std::string>& there) {
  const std::string wanted = entry_of(from, code);
  error e = about("K15", code, fmt::format("the code of kernel \"{}\" has no entry \"{}\"", code.name, wanted))
                .fact("code", origin_of(from, code));
  if (!there.empty()) e.fact("entries", fmt::format("{}", fmt::join(there, ", ")));
  std::string guess = base::did_you_mean(wanted, there);
  return std::move(e).remedy(!guess.empty()
                                 ? std::move(guess)
                                 : "name it in the definition: with_entry(\"...\"); a CUDA entry is extern \"C\"");
}

error wrong_count(const native_code& from, const kernel_code& code, std::size_t wanted, std::size_t there) {
  return about("K16", code,
               fmt::format("the entry of kernel \"{}\" takes {} arguments, but its signature has {}", code.name, there,
                           wanted))
      .fact("code", origin_of(from, code))
      .fact("entry", entry_of(from, code))
      .because("an array is one argument, or two with a layout, and a value is one")
      .remedy("make the signature in the definition match the entry");
}

bool computes_whole_launches(const kernel_code& code) noexcept {
  const auto is_code = [](const native_code& c) { return c.is != native_code::form::none; };
  return code.native && (is_code(code.native->opencl) || is_code(code.native->cuda));
}

bool is_of_host_alone(const kernel_code& code) noexcept {
  return code.native && !computes_whole_launches(code) && !code.native->has_calls(native_call::kind::opencl) &&
         !code.native->has_calls(native_call::kind::cuda);
}

void check_native(const kernel_code& code, const launch_range& range, std::span<const launch_argument> arguments) {
  for (int a = 0; a < range.dimensions; ++a)
    if (range.min[a] != 0)
      throw about(
          "K18", code,
          fmt::format("kernel \"{}\" is launched on a range that begins at {} on axis {}", code.name, range.min[a], a))
          .because("the ids of native code count from 0")
          .remedy("launch it over a box that begins at 0, and pass the beginning as a value");
  if (code.native->with_layouts) return;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const kernel_parameter& p = code.parameters[i];
    if (!is_array(p)) continue;
    const kernel_argument& a = arguments[i].is;
    std::int64_t dense = 1;
    for (int axis = p.dimensions - 1; axis >= 0; --axis) {
      const std::int64_t length = a.max[axis] - a.min[axis];
      if (length > 1 && a.stride[axis] != dense)
        throw about("K18", code, fmt::format("array {} of kernel \"{}\" is not dense", i, code.name))
            .fact("axis", fmt::format("{}, whose elements are {} apart rather than {}", axis, a.stride[axis], dense))
            .because("the kernel gets only a pointer")
            .remedy("set with_layouts in the definition, or launch it on whole instances in C order");
      dense *= std::max<std::int64_t>(length, 1);
    }
  }
}

error misaligned(const kernel_code& code, std::size_t parameter, std::uint64_t alignment) {
  return about("K18", code,
               fmt::format("array {} of kernel \"{}\" begins at an address that no pointer of the device can have",
                           parameter, code.name))
      .fact("alignment", fmt::format("{} bytes", alignment))
      .because("the kernel gets a pointer to the first element of the part")
      .remedy("set with_layouts in the definition, or launch it on whole instances");
}

std::byte* first_of(const launch_argument& a, const kernel_parameter& p) noexcept {
  auto at = reinterpret_cast<std::intptr_t>(a.is.origin);  // which may lie outside of the array
  for (int i = 0; i < p.dimensions; ++i)
    at += a.is.min[i] * a.is.stride[i] * static_cast<std::int64_t>(p.element_bytes);
  return reinterpret_cast<std::byte*>(at);
}

native_layout layout_of(const launch_argument& a, const kernel_parameter& p) noexcept {
  native_layout l;
  l.offset = (first_of(a, p) - a.first) / static_cast<std::int64_t>(p.element_bytes);
  std::copy_n(a.is.stride, 3, l.stride);
  return l;
}

kernel_work work_of(const launch_range& range) noexcept {
  kernel_work w;
  std::copy_n(range.min, 3, w.min);
  std::copy_n(range.max, 3, w.max);
  std::copy_n(range.min, 3, w.all_min);
  std::copy_n(range.max, 3, w.all_max);
  std::copy_n(range.group, 3, w.group);
  w.dimensions = range.dimensions;
  return w;
}

}  // namespace device
}  // namespace stretto
