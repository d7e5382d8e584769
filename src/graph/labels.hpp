// labels.hpp - labels of tasks, commands and buffers, the same in every printed form of the graphs.
#pragma once

#include <string>

#include "graph/overloaded.hpp"
#include "graph/printing.hpp"

namespace stretto::graph {

std::string text_of(task_id t);     // "T3"
std::string text_of(command_id c);  // "C5"
std::string text_of(buffer_id b);   // "B0"
/// "T3 \"step\"", or "T3" of a task without a name.
std::string named(const program_record& program, task_id t);
/// "B0 \"image\"", or "B0" of a buffer without a name.
std::string named(const program_record& program, buffer_id b);

/// "E0 \"log\"".
std::string named(const effect_use& e);

const char* text_of(task_kind k);
const char* text_of(mode m);
/// "push", "await push", "execute", "fence", ...
const char* kind_of(const command& c, const program_record& program);

/// The union of what all chunks use.
region used_by_all(const access& a, const task& t);

/// The buffer of this read.
buffer_id buffer_of(const unwritten_read& u, const task& t);
/// Reads of unwritten elements by the task; empty if there are none.
const std::vector<unwritten_read>& unwritten_reads_of(task_id id, const program_record& program);

}  // namespace stretto::graph
