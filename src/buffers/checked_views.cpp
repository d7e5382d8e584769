#include "buffers/checked_views.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "base/index_text.hpp"
#include "data/unwritten_check.hpp"

namespace stretto::buffers {
namespace {

// The mark of a floating-point element is a quiet NaN. Of the 22 payload bits that float and double share, 3 identify
// our marks, 3 hold the argument and 16 the low bits of the element number. The other 29 bits of a double hold the rest
// of the element number.
constexpr std::uint64_t ours = 0b101, argument_bits = 3, element_bits = 16;
constexpr std::uint64_t most_arguments = (1u << argument_bits) - 1;
constexpr int bits_below_of_double = 29;
constexpr std::size_t copy_alignment = 64;

std::uint64_t mark_bits(std::uint64_t argument, std::uint64_t element) noexcept {
  return ours << (argument_bits + element_bits) | argument << element_bits | (element & ((1u << element_bits) - 1));
}

struct found_mark {
  std::uint64_t argument, low, rest;
};
std::optional<found_mark> mark_in(const std::byte* at, detail::element_kind kind) noexcept {
  std::uint64_t bits = 0, rest = 0;
  if (kind == detail::element_kind::float32) {
    std::uint32_t word;
    std::memcpy(&word, at, sizeof word);
    if ((word & 0x7fc00000u) != 0x7fc00000u) return std::nullopt;
    bits = word & 0x3fffffu;
  } else {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    if ((word & 0x7ff8000000000000u) != 0x7ff8000000000000u) return std::nullopt;
    bits = word >> bits_below_of_double & 0x3fffffu;
    rest = word & ((std::uint64_t{1} << bits_below_of_double) - 1);
  }
  if (bits >> (argument_bits + element_bits) != ours) return std::nullopt;
  return found_mark{bits >> element_bits & most_arguments, bits & ((1u << element_bits) - 1), rest};
}

std::string text_of_boxes(const std::vector<box>& boxes) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < boxes.size() && i < most; ++i) text += (i ? " and " : "") + boxes[i].text();
  if (boxes.size() > most) text += fmt::format(" and {} more", boxes.size() - most);
  return text.empty() ? "nothing" : text;
}

}  // namespace

checked_view::checked_view(const checked_task& of, argument is, std::size_t number,
                           const detail::host_elements& elements, const checked_view* same)
    : task_(of),
      is_(std::move(is)),
      number_(number),
      original_(elements),
      owns_copy_(!same),
      copy_(same ? same->copy_ : nullptr) {
  const std::size_t bytes = original_.shape.element_bytes;
  point around;
  for (int a = 0; a < is_.dimensions; ++a) around[a] = a + 1 == is_.dimensions ? 8 : 1;
  widened_box_ = original_.shape.box.widened(around);
  const std::uint64_t count = widened_box_.volume();
  if (owns_copy_) {
    if (count > PTRDIFF_MAX / bytes) throw std::bad_alloc();
    copy_ = static_cast<std::byte*>(
        ::operator new(std::max<std::uint64_t>(count, 1) * bytes, std::align_val_t(copy_alignment)));
    for (std::uint64_t e = 0; e < count; ++e) mark(e, copy_ + e * bytes);
    each_element(is_.held, [&](std::byte* copied, std::byte* original) { std::memcpy(copied, original, bytes); });
  }
  view_.shape = original_.shape;
  auto stride = static_cast<std::int64_t>(bytes);
  for (int a = max_axes - 1; a >= 0; --a)
    view_.shape.stride[a] = stride, stride *= std::max<coordinate>(widened_box_.length(a), 1);
  view_.first = copy_ + (count ? number_of(original_.shape.box.min()) * bytes : 0);
  limits_.allowed = is_.named;
  limits_.refuse = [this](const point& at) {
    throw_stray_access(is_.how == access::in ? does::reads : is_.how == access::out ? does::writes : does::uses, &at);
  };
  view_.limits = &limits_;
}

checked_view::~checked_view() {
  if (owns_copy_) ::operator delete(copy_, std::align_val_t(copy_alignment));
}

template <class F>
void checked_view::each_element(const std::vector<box>& of, F f) const {
  for (const box& b : of) {
    point p;
    for (p[0] = b.min()[0]; p[0] < b.max()[0]; ++p[0])
      for (p[1] = b.min()[1]; p[1] < b.max()[1]; ++p[1])
        for (p[2] = b.min()[2]; p[2] < b.max()[2]; ++p[2])
          f(copy_ + number_of(p) * original_.shape.element_bytes, original_.first + original_.shape.offset_of(p));
  }
}

std::uint64_t checked_view::number_of(const point& p) const noexcept {
  std::uint64_t n = 0;
  for (int a = 0; a < max_axes; ++a)
    n = n * static_cast<std::uint64_t>(widened_box_.length(a)) +
        static_cast<std::uint64_t>(p[a] - widened_box_.min()[a]);
  return n;
}

point checked_view::point_of(std::uint64_t element) const noexcept {
  point p;
  for (int a = max_axes - 1; a >= 0; --a) {
    const auto length = static_cast<std::uint64_t>(widened_box_.length(a));
    p[a] = widened_box_.min()[a] + static_cast<coordinate>(element % length);
    element /= length;
  }
  return p;
}

void checked_view::mark(std::uint64_t element, std::byte* to) const noexcept {
  const std::uint64_t bits = mark_bits(std::min<std::uint64_t>(number_, most_arguments), element);
  if (is_.elements == detail::element_kind::float32) {
    const auto word = static_cast<std::uint32_t>(0x7fc00000u | bits);
    std::memcpy(to, &word, sizeof word);
  } else if (is_.elements == detail::element_kind::float64) {
    const std::uint64_t rest = element >> element_bits & ((std::uint64_t{1} << bits_below_of_double) - 1);
    const std::uint64_t word = 0x7ff8000000000000u | bits << bits_below_of_double | rest;
    std::memcpy(to, &word, sizeof word);
  } else {
    for (std::size_t i = 0; i < original_.shape.element_bytes; ++i)
      to[i] = static_cast<std::byte>(0xa5 + element * 31 + i * 7);
  }
}

std::vector<bool> checked_view::held_elements() const {
  std::vector<bool> is_held(widened_box_.volume());
  each_element(is_.held, [&](const std::byte* copied, std::byte*) {
    is_held[static_cast<std::size_t>(copied - copy_) / original_.shape.element_bytes] = true;
  });
  return is_held;
}

void checked_view::find_stray_writes() const {
  if (!owns_copy_) return;
  const std::vector<bool> is_held = held_elements();
  const std::size_t bytes = original_.shape.element_bytes;
  std::vector<std::byte> expected(bytes);
  for (std::uint64_t e = 0; e < is_held.size(); ++e) {
    if (is_held[e]) continue;
    mark(e, expected.data());
    if (std::memcmp(expected.data(), copy_ + e * bytes, bytes) == 0) continue;
    const point at = point_of(e);
    throw_stray_access(does::writes, &at);
  }
}

void checked_view::find_stray_reads(std::span<const std::unique_ptr<checked_view>> all) const {
  if (is_.how == access::in || is_.elements == detail::element_kind::any) return;
  each_element(is_.named, [&](const std::byte* copied, std::byte*) {
    const auto found = mark_in(copied, is_.elements);
    if (!found || found->argument >= all.size() || !all[found->argument]) return;
    const checked_view& read = *all[found->argument];
    const bool are_doubles =
        is_.elements == detail::element_kind::float64 && read.is_.elements == detail::element_kind::float64;
    read.throw_stray_read(found->low, found->rest, are_doubles);
  });
}

void checked_view::throw_stray_read(std::uint64_t low, std::uint64_t rest, bool knows_rest) const {
  const std::vector<bool> is_held = held_elements();
  std::optional<std::uint64_t> only;
  if (knows_rest) {
    only = rest << element_bits | low;
  } else {
    for (std::uint64_t e = low; e < is_held.size(); e += 1u << element_bits) {
      if (is_held[e]) continue;
      if (only) throw_stray_access(does::reads, nullptr);
      only = e;
    }
  }
  if (!only || *only >= is_held.size()) throw_stray_access(does::reads, nullptr);
  const point at = point_of(*only);
  throw_stray_access(does::reads, &at);
}

void checked_view::copy_back() const {
  if (owns_copy_)
    each_element(is_.written, [&](const std::byte* copied, std::byte* original) {
      std::memcpy(original, copied, original_.shape.element_bytes);
    });
}

void checked_view::throw_stray_access(does what, const point* at) const {
  error e("B25", fmt::format("host task \"{}\" {} {} of {} that its mapper does not name", task_.name,
                             what == does::writes ? "writes"
                             : what == does::uses ? "uses"
                                                  : "reads",
                             at ? "an element" : "elements", is_.buffer));
  e.fact("submitted", task_.where).fact("chunk", task_.chunk.text());
  if (at) e.fact("element", base::index_text(&at->at[0], is_.dimensions));
  throw std::move(e)
      .fact("mapped", text_of_boxes(is_.named) + " by " + is_.mapper)
      .because(
          "other nodes and pieces know only the elements that mappers name: they may write others concurrently, or not "
          "have sent them")
      .remedy(what == does::writes ? "write only elements of the chunk, or give a mapper that names the element"
                                   : "give a mapper that names the element: neighborhood(1), all, a function");
}

void run_checked(const detail::host_function& f, const checked_task& of,
                 std::span<const checked_view::argument> arguments, std::span<const detail::host_elements> there) {
  std::vector<std::unique_ptr<checked_view>> views;
  std::vector<detail::host_elements> given;
  for (std::size_t i = 0; i < there.size(); ++i) {
    const checked_view::argument& a = arguments[i];
    for (const box& part : a.named)
      if (a.how == access::in || a.how == access::inout)
        data::refuse_unwritten(there[i].first, there[i].shape, part, a.dimensions, a.buffer, of.where);
    const auto same = std::ranges::find_if(there.begin(), there.begin() + static_cast<std::ptrdiff_t>(i),
                                           [&](const detail::host_elements& e) { return e.first == there[i].first; });
    const auto first = static_cast<std::size_t>(same - there.begin());
    views.push_back(
        std::make_unique<checked_view>(of, arguments[i], first, there[i], first < i ? views[first].get() : nullptr));
    given.push_back(views.back()->given());
  }
  f(of.chunk, given);
  for (const auto& v : views) v->find_stray_writes();
  for (const auto& v : views) v->find_stray_reads(views);
  for (const auto& v : views) v->copy_back();
}

}  // namespace stretto::buffers
