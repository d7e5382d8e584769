// labels.hpp - the words for what is in a graph, the same in every form in which graphs are printed.
#pragma once

#include <string>

#include "graph/printing.hpp"

namespace stretto::graph {

/// For std::visit: a function for each kind, and none for all, so that a new kind is not forgotten.
template <class... F>
struct by_kind : F... {
  using F::operator()...;
};
template <class... F>
by_kind(F...) -> by_kind<F...>;  // Clang 16 does not find it by itself

std::string text_of(task_id t);    // "T3"
std::string text_of(command_id c);  // "C5"
std::string text_of(buffer_id b);  // "B0"
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

/// What all chunks use together.
region used_by_all(const access& a, const task& t);

/// Of which buffer the task reads this.
buffer_id buffer_of(const unwritten_read& u, const task& t);
/// Those of the task; none if it has none.
const std::vector<unwritten_read>& unwritten_reads_of(task_id id, const program_record& program);

}  // namespace stretto::graph
