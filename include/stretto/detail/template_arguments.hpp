// template_arguments.hpp - the arguments and names of kernels of a template.
#pragma once

#include <stretto/kernel.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto::detail {

/// The names of a type in device code and in reports. Empty for a type that devices do not have.
struct type_name {
  std::string_view on_devices, shown;
};

template <class T>
consteval type_name name_of_number() {
  if constexpr (std::same_as<T, float>) return {"float", "float"};
  else if constexpr (std::same_as<T, double>) return {"double", "double"};
  else if constexpr (std::same_as<T, bool>) return {"bool", "bool"};
  else if constexpr (std::same_as<T, char>) return {"char", "char"};
  else if constexpr (std::same_as<T, signed char>) return {"int8_t", "int8_t"};
  else if constexpr (std::same_as<T, unsigned char>) return {"uint8_t", "uint8_t"};
  else if constexpr (std::same_as<T, short>) return {"int16_t", "int16_t"};
  else if constexpr (std::same_as<T, unsigned short>) return {"uint16_t", "uint16_t"};
  else if constexpr (std::same_as<T, int>) return {"int32_t", "int"};
  else if constexpr (std::same_as<T, unsigned>) return {"uint32_t", "unsigned"};
  else if constexpr (std::same_as<T, long>) return {"int64_t", "long"};
  else if constexpr (std::same_as<T, unsigned long>) return {"uint64_t", "unsigned long"};
  else if constexpr (std::same_as<T, long long>) return {"int64_t", "long long"};
  else if constexpr (std::same_as<T, unsigned long long>) return {"uint64_t", "unsigned long long"};
  else return {};
}
template <class T>
consteval type_name name_of_vector() {
  if constexpr (std::same_as<T, float2>) return {"float2", "float2"};
  else if constexpr (std::same_as<T, float4>) return {"float4", "float4"};
  else if constexpr (std::same_as<T, double2>) return {"double2", "double2"};
  else if constexpr (std::same_as<T, int2>) return {"int2", "int2"};
  else if constexpr (std::same_as<T, int4>) return {"int4", "int4"};
  else if constexpr (std::same_as<T, uint2>) return {"uint2", "uint2"};
  else if constexpr (std::same_as<T, uint4>) return {"uint4", "uint4"};
  else if constexpr (std::same_as<T, long2>) return {"long2", "long2"};
  else if constexpr (std::same_as<T, ulong2>) return {"ulong2", "ulong2"};
  else return {};
}
template <class T>
consteval type_name name_of_type() {
  if constexpr (std::is_arithmetic_v<T>) return name_of_number<T>();
  else if constexpr (short_vector_type<T>) return name_of_vector<T>();
  else if constexpr (requires { stretto_name_on_devices(static_cast<const T*>(nullptr)); }) {
    constexpr std::string_view name = stretto_name_on_devices(static_cast<const T*>(nullptr));
    return {name, name};
  } else return {};
}

template <class T>
consteval template_argument argument_named(std::string_view parameter) {
  constexpr type_name name = name_of_type<T>();
  static_assert(!name.shown.empty(),
                "a kernel template is for numbers, bool, short vectors and what STRETTO_DEVICE_STRUCT "
                "defines: devices have no name for other types");
  return {parameter, name.on_devices, name.shown};
}
template <auto Number>
consteval template_argument argument_named(std::string_view parameter) {
  static_assert(std::integral<decltype(Number)>,
                "a kernel template is over types and whole numbers: give another constant "
                "to the kernel as a value");
  const type_name type = name_of_number<std::remove_const_t<decltype(Number)>>();
  return {parameter, type.on_devices, {}, static_cast<std::uint64_t>(Number)};
}

template <class... Argument>
consteval std::array<template_argument, sizeof...(Argument)> arguments_of(const Argument&... all) {
  return {all...};
}

/// Appends characters to a buffer, or only counts them if it has none.
struct name_writer {
  char* to;
  std::size_t length = 0;

  constexpr void put(char c) {
    if (to) to[length] = c;
    ++length;
  }
  constexpr void put(std::string_view text) {
    for (const char c : text) put(c);
  }
  constexpr void put_number(std::uint64_t n) {
    std::uint64_t unit = 1;
    while (n / unit > 9) unit *= 10;
    for (; unit; unit /= 10) put(static_cast<char>('0' + n / unit % 10));
  }
  /// "smooth<float, 3>"
  constexpr void put_name(std::string_view name, const template_argument* arguments, std::size_t count) {
    put(name);
    for (std::size_t i = 0; i < count; ++i) {
      const template_argument& a = arguments[i];
      put(i ? ", " : "<");
      if (!a.is_number()) put(a.shown);
      else if (a.type.front() == 'u' || a.type == "bool" || a.number <= ~std::uint64_t{0} >> 1) put_number(a.number);
      else put('-'), put_number(~a.number + 1);
    }
    if (count) put('>');
    put('\0');
  }
};

/// The texts of a kernel definition, except for its bodies.
struct written_kernel {
  std::string_view name, parameters, body, file;
  unsigned line;
};

/// A kernel whose bodies are classes in any scope.
template <const written_kernel& Is, const auto& Arguments, bool InGroups, class Body, class CheckedBody>
struct defined_kernel {
  using host = host_body<Body, &Body::operator()>;
  using checked_host = host_body<CheckedBody, &CheckedBody::operator()>;
  using type = kernel<typename signature_of<decltype(&Body::operator())>::type>;

  static consteval std::size_t name_length() {
    name_writer count{nullptr};
    count.put_name(Is.name, Arguments.data(), Arguments.size());
    return count.length;
  }
  static consteval auto spell_name() {
    std::array<char, name_length()> text{};
    name_writer{text.data()}.put_name(Is.name, Arguments.data(), Arguments.size());
    return text;
  }
  static consteval kernel_code::host_function run(bool is_checked) {
    if constexpr (InGroups) return is_checked ? &checked_host::run_groups_checked : &host::run_groups;
    else return is_checked ? &checked_host::run_items_checked : &host::run_items;
  }
  static constexpr auto name = spell_name();
  static constexpr kernel_code code{
      .name = std::string_view(name.data(), name.size() - 1),
      .parameter_text = Is.parameters,
      .body_text = Is.body,
      .file = Is.file,
      .line = Is.line,
      .in_groups = InGroups,
      .parameters = host::table,
      .run = run(false),
      .run_checked = run(true),
      .run_dense = &host::run_dense,
      .run_wide = kernels::has_wide_vectors ? &host::run_wide : nullptr,
      .denormals_are_zero = says(Is.body, "denormals_are_zero"),
      .written_name = Is.name,
      .template_arguments = Arguments,
  };
};

}  // namespace stretto::detail

STRETTO_API_END
