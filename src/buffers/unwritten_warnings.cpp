#include "buffers/unwritten_warnings.hpp"

#include <stretto/error.hpp>

namespace stretto::buffers {
namespace {

constexpr std::size_t most_warnings = 32;

std::string text_of_region(const region& elements) {
  const auto& boxes = elements.boxes();
  std::string text = boxes.front().text();
  if (boxes.size() > 1)
    text += " and " + std::to_string(boxes.size() - 1) + (boxes.size() > 2 ? " more boxes" : " more box");
  return text;
}

}  // namespace

void unwritten_warnings::warn(const std::string& task, graph::buffer_id b, const std::string& buffer,
                              const region& elements, const std::source_location& where) {
  if (!sink_ || warned_.size() == most_warnings || !warned_.emplace(b.number, where.file_name(), where.line()).second)
    return;
  sink_(task + " reads elements " + text_of_region(elements) + " of " + buffer + " that nobody has written (" +
        short_location(where) + ")" +
        (warned_.size() == most_warnings ? "; further warnings like this are left out" : ""));
}

}  // namespace stretto::buffers
