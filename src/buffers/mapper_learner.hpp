// mapper_learner.hpp - what kernels of launches were seen to use of buffers, beside the mappers that the program gave (STRETTO_CHECK=learn).
//
// Threads     one owner; kernels note what they use on any thread, as long as this lives.
// Memory      bounded: 64 chunks of each argument of each launch in the program's text.
#pragma once

#include <stretto/buffer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/touched.hpp"
#include "graph/learned_mapping.hpp"

namespace stretto::buffers {

class mapper_learner {
 public:
  /// An argument of a launch, as the program gave it.
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

  /// Where a chunk notes what it uses of it; null if enough is known.
  touched_elements* observe(const argument& a, const box& chunk);
  /// A paragraph for each launch, in the order of their lines, once all kernels have ended.
  void report(const std::function<void(const std::string&)>& sink) const;

 private:
  struct sample {
    box chunk;
    graph::mapping given;  // which may be another one each time
    std::unique_ptr<touched_elements> touched;
  };
  struct learned_argument {
    argument is;  // as it was first given
    std::vector<sample> samples;
    bool changes = false;  // the mapper does
  };
  std::string line_of(const learned_argument& l) const;

  std::vector<learned_argument> all_;
};

/// As the program writes it: "neighborhood(1)"; "a function".
std::string text_of(const detail::range_mapper& m, int dimensions);

}  // namespace stretto::buffers
