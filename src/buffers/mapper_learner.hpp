// mapper_learner.hpp - records the buffer elements that kernels use, and compares them with the mappers that the
// program gave (STRETTO_CHECK=learn).
//
// Threads     one owner; kernels record their use on any thread while this object lives.
// Memory      bounded: 64 chunks of each argument of each launch in the source text.
#pragma once

#include <stretto/buffer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/touched_elements.hpp"
#include "graph/learned_mapping.hpp"

namespace stretto::buffers {

class mapper_learner {
 public:
  /// An argument of a launch, as given by the program.
  struct argument {
    const kernel_code* code;
    std::size_t parameter;
    std::source_location where;
    std::string buffer;  // "B0 "u""
    int dimensions;
    graph::mapping given;
    std::string given_text;
    box range;
  };

  /// The record for the elements that a chunk uses; null if enough chunks are known.
  touched_elements* observe(const argument& a, const box& chunk);
  /// Passes a paragraph for each launch to `sink`, in source order. All kernels must have ended.
  void report(const std::function<void(const std::string&)>& sink) const;

 private:
  struct sample {
    box chunk;
    graph::mapping given;  // may differ between calls
    std::unique_ptr<touched_elements> touched;
  };
  struct learned_argument {
    argument is;  // as first given
    std::vector<sample> samples;
    bool changes = false;  // the mapper differs between calls
  };
  std::string line_of(const learned_argument& l) const;

  std::vector<learned_argument> all_;
};

/// Source text of the mapper: "neighborhood(1)"; for a custom function: "a function".
std::string text_of(const detail::range_mapper& m, int dimensions);

}  // namespace stretto::buffers
