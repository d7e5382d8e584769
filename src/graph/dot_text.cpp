#include "graph/dot_text.hpp"

#include "graph/labels.hpp"

namespace stretto::graph {

std::string quoted(const std::string& text) {
  std::string q = "\"";
  for (const char c : text) {
    if (c == '\n') {
      q += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') q += '\\';
    q += c;
  }
  return q + '"';
}

std::string node_line(const std::string& id, const std::string& label, const char* shape, const char* more) {
  return "  " + id + " [label=" + quoted(label) + ", shape=" + shape + more + "];\n";
}

std::string dot_footer(const program_record& program) {
  if (!program.is_truncated) return "}\n";
  return "  label=" + quoted("the program goes on behind " + text_of(task_id{program.tasks.size()})) + ";\n}\n";
}

}  // namespace stretto::graph
