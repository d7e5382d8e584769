// instruction_labels.hpp - labels of instructions, the same in every printed form.
//
// Threads     an instruction_labels object has one owner, and refers to the records that it was made from.
#pragma once

#include <string>
#include <unordered_map>

#include "graph/labels.hpp"

namespace stretto::graph {

std::string text_of(instruction_id i);  // "I7"
std::string text_of(allocation_id a);   // "A2"
/// "allocate", "copy", "compute", "send", ...
const char* kind_of(const instruction& i);
/// "the host", "D1".
std::string text_of_processor(processor_number p, const node_shape& shape);
/// "host memory", "memory of D1", or "memory of D0 and D1".
std::string text_of_memory(memory_number m, const node_shape& shape);

/// Looks up allocations and instructions of one node by number.
class instruction_labels {
 public:
  instruction_labels(const program_record& program, const node_record& node);

  /// "A2 in memory of D1".
  std::string text_of(allocation_id a) const;
  /// Null if it was made before the recording.
  const allocate* find(allocation_id a) const;
  const instruction* find(instruction_id i) const;

  /// Lines separated by \n, without the instruction number.
  std::string label_of(const instruction& i) const;

 private:
  std::string label_of(const instruction& i, const compute& c) const;
  std::string used_by(const task& t, const compute& c) const;

  const program_record& program_;
  const node_record& node_;
  std::unordered_map<std::uint64_t, const allocate*> allocations_;
};

}  // namespace stretto::graph
