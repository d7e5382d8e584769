#include "data/launch_checks.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <numeric>

#include "device/kernel_signature.hpp"
#include "geometry/axes_fit.hpp"

namespace stretto::data {
namespace {

std::string launch_text(const checked_launch& l) {
  return (l.code ? "launch \"" : "host task \"") + std::string(l.name) + "\"";
}

/// `argument 2 "v"`: numbers count from 1, as in messages of compilers.
std::string argument_text(const checked_launch& l, const checked_argument& a) {
  std::string text = "argument " + std::to_string(a.number + 1);
  if (l.code && !l.code->native)
    text += " \"" + device::parameters_of(device::tokens_of(l.code->parameter_text))[a.number].name + "\"";
  return text + (a.how == access::in ? " (in)" : a.how == access::out ? " (out)" : " (inout)");
}

/// The number of axes for which the kernel asks its id, by its source text; all if that is unknown.
int axes_asked_for(const kernel_code& code) {
  if (code.native) return max_axes;
  int axes = 0;
  for (std::size_t at = 0; (at = code.body_text.find("_id", at)) != std::string_view::npos;) {
    at += 3;
    while (at < code.body_text.size() && code.body_text[at] == ' ') ++at;
    if (at == code.body_text.size() || code.body_text[at] != '(') continue;
    ++at;
    while (at < code.body_text.size() && code.body_text[at] == ' ') ++at;
    const char digit = at < code.body_text.size() ? code.body_text[at] : ' ';
    axes = std::max(axes, digit >= '0' && digit < '0' + max_axes ? digit - '0' + 1 : max_axes);
  }
  return axes;
}

const char* name_of(detail::mapper_form::kind k) noexcept {
  switch (k) {
    case detail::mapper_form::kind::one_to_one: return "one_to_one";
    case detail::mapper_form::kind::around: return "neighborhood";
    case detail::mapper_form::kind::slice: return "slice";
    case detail::mapper_form::kind::transposed: return "transposed";
    case detail::mapper_form::kind::unknown: break;
  }
  return "its mapper";
}

}  // namespace

void check_axes(const checked_launch& l, const checked_argument& a, const array_text& array) {
  using kind = detail::mapper_form::kind;
  if (a.form.is == kind::unknown || l.items.is_empty()) return;
  if (a.form.is == kind::one_to_one && geometry::axes_of(l.items) == a.axes && a.elements.contains(l.items)) return;
  if (geometry::find_axes_fault(l.items, 0, a.elements, a.axes, a.form)) {
    const int asked_for = l.code ? axes_asked_for(*l.code) : max_axes;  // a function gets its chunk
    if (const auto fault = geometry::find_axes_fault(l.items, asked_for, a.elements, a.axes, a.form))
      throw error("B32",
                  std::string(name_of(a.form.is)) + " does not fit the range of " + launch_text(l) + " and " + array())
          .fact("submitted", l.where)
          .fact("range", l.items.text())
          .fact("array", argument_text(l, a) + ", " + a.elements.text() + " of " + std::to_string(a.axes) +
                             (a.axes == 1 ? " axis" : " axes"))
          .because(fault->because)
          .remedy(fault->remedy);
  }
  if (a.form.is != kind::one_to_one || a.elements.contains(l.items)) return;
  bool is_rounded_up = true;  // to whole groups, each of which has elements
  for (int axis = 0; axis < max_axes; ++axis)
    is_rounded_up = is_rounded_up && l.items.min()[axis] > a.elements.min()[axis] - l.group[axis] &&
                    l.items.max()[axis] < a.elements.max()[axis] + l.group[axis];
  if (is_rounded_up) return;
  throw error("B33", launch_text(l) + " has items for which " + array() + " has no element")
      .fact("submitted", l.where)
      .fact("range", l.items.text())
      .fact("array", argument_text(l, a) + ", " + a.elements.text())
      .because("one_to_one names the element with the id of the item, and the range exceeds the array")
      .remedy(
          "launch over the array's elements(), or leave items out with a mapper of your own: intersection(part, "
          "elements)");
}

void refuse_conflict(const checked_launch& l, const geometry::use_conflict& found, const checked_argument& reader,
                     const checked_argument& writer, const array_text& array) {
  const char* const items = l.code ? "items " : "the chunk ";
  throw error("B31", launch_text(l) + " reads elements of " + array() + " that other " + (l.code ? "items" : "chunks") +
                         " of it write")
      .fact("submitted", l.where)
      .fact("read by",
            argument_text(l, reader) + ": " + items + found.readers.text() + " may read " + found.read.text())
      .fact("written by",
            argument_text(l, writer) + ": " + items + found.writers.text() + " may write " + found.written.text())
      .fact("overlap", found.where.text())
      .because("the values that are read depend on the order of the items and on how the range is split")
      .remedy("write into a second array with one_to_one, and swap the two after each launch");
}

extent grain_of(const extent& group, const extent& multiple, const box& range, const std::source_location& where) {
  extent grain = group;
  for (int a = 0; a < max_axes; ++a) {
    if (multiple[a] < 1)
      throw split_error("B35", "the grain of a split must be at least 1 element")
          .fact("submitted", where)
          .fact("box", range.text())
          .fact("grain", std::to_string(multiple[a]) + " elements on axis " + std::to_string(a))
          .remedy("leave constrain_split out, or give 1 where cuts may lie anywhere");
    grain[a] = std::lcm(group[a], multiple[a]);
  }
  return grain;
}

}  // namespace stretto::data
