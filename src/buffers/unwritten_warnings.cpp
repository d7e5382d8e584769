#include "buffers/unwritten_warnings.hpp"

#include <stretto/error.hpp>

namespace stretto::buffers {
namespace {

constexpr std::size_t most_warnings = 32;

std::string text_of(const region& elements) {
  const auto& boxes = elements.boxes();
  std::string text = boxes.front().text();
  if (boxes.size() > 1) text += " and " + std::to_string(boxes.size() - 1) + (boxes.size() > 2 ? " more boxes" : " more box");
  return text;
}

}  // namespace

void unwritten_warnings::tell(const std::string& task, graph::buffer_id b, const std::string& buffer, const region& elements,
                              const std::source_location& where) {
  if (!tell_ || told_.size() == most_warnings || !told_.emplace(b.number, where.file_name(), where.line()).second) return;
  tell_(task + " reads elements " + text_of(elements) + " of " + buffer + " that nobody has written (" + short_location(where) + ")" +
        (told_.size() == most_warnings ? "; further warnings like this are left out" : ""));
}

}  // namespace stretto::buffers
