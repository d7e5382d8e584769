#include "device/device_texts.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <atomic>

namespace stretto {

namespace {

// Constant-initialised: it must exist before the first text is registered.
constinit std::atomic<const device_text*> first_text{nullptr};

}  // namespace

device_text::device_text(what is, std::string_view name, std::string_view type, std::string_view parameters,
                         std::string_view body, std::string_view file, unsigned line) noexcept
    : is(is),
      name(name),
      type(type),
      parameters(parameters),
      body(body),
      file(file),
      line(line),
      next(first_text.load(std::memory_order_relaxed)) {
  while (!first_text.compare_exchange_weak(next, this, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

namespace device {

const device_text* text_named(std::string_view name, const kernel_code& user) {
  const device_text *own = nullptr, *other = nullptr, *rival = nullptr;
  for (const device_text* t = first_text.load(std::memory_order_acquire); t; t = t->next) {
    if (t->name != name) continue;
    if (t->file == user.file) own = t;
    else if (!other) other = t;
    else if (t->body != other->body || t->parameters != other->parameters) rival = t;
  }
  if (own) return own;
  if (rival)
    throw error("K11",
                fmt::format("\"{}\", which kernel \"{}\" uses, has two definitions for devices", name, user.name))
        .fact("kernel", fmt::format("{}:{}", user.file, user.line))
        .fact("one", fmt::format("{}:{}", other->file, other->line))
        .fact("other", fmt::format("{}:{}", rival->file, rival->line))
        .because("devices have no namespaces, and neither definition is in the kernel's own file")
        .remedy("rename one of them");
  return other;
}

}  // namespace device
}  // namespace stretto
