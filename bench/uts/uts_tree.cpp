#include "uts/uts_tree.hpp"

#include <algorithm>
#include <cmath>

namespace uts {
namespace {

constexpr int most_children = 100;  // except at a binomial root
constexpr int tabulated_depths = 1024;

// The low 31 bits of the state's last word, as a fraction of 2^31.
std::uint32_t draw(const node& n) { return n.state[4] & 0x7fffffff; }
double uniform(const node& n) { return draw(n) / 2147483648.0; }

constexpr published_tree trees[] = {
    {"T1", {.shape = shape::fixed, .max_depth = 10, .root_branching = 4, .seed = 19}, {4130071, 3305118, 10}},
    {"T2", {.shape = shape::cyclic, .max_depth = 16, .root_branching = 6, .seed = 502}, {4117769, 2342762, 81}},
    {"T3",
     {.kind = kind::binomial, .root_branching = 2000, .seed = 42, .inner_probability = 0.124875, .inner_children = 8},
     {4112897, 3599034, 1572}},
    {"T4",
     {.kind = kind::hybrid,
      .shape = shape::linear,
      .max_depth = 16,
      .root_branching = 6,
      .seed = 1,
      .inner_probability = 0.234375,
      .inner_children = 4},
     {4132453, 3108986, 134}},
    {"T5", {.shape = shape::linear, .max_depth = 20, .root_branching = 4, .seed = 34}, {4147582, 2181318, 20}},
    {"T1L", {.shape = shape::fixed, .max_depth = 13, .root_branching = 4, .seed = 29}, {102181082, 81746377, 13}},
    {"T2L", {.shape = shape::cyclic, .max_depth = 23, .root_branching = 7, .seed = 220}, {96793510, 53791152, 67}},
    {"T3L",
     {.kind = kind::binomial, .root_branching = 2000, .seed = 7, .inner_probability = 0.200014, .inner_children = 5},
     {111345631, 89076904, 17844}},
    {"T1XL", {.shape = shape::fixed, .max_depth = 15, .root_branching = 4, .seed = 29}, {1635119272, 1308100063, 15}},
    {"T1XXL", {.shape = shape::fixed, .max_depth = 15, .root_branching = 4, .seed = 19}, {4230646601, 0, 15}},
    {"T3XXL",
     {.kind = kind::binomial, .root_branching = 2000, .seed = 316, .inner_probability = 0.499995, .inner_children = 2},
     {2793220501, 0, 0}},
};

}  // namespace

census& census::operator+=(const census& other) {
  nodes += other.nodes;
  leaves += other.leaves;
  depth = std::max(depth, other.depth);
  return *this;
}

tree::tree(const parameters& p) : is_(p), binomial_from_(0) {
  if (p.kind == kind::binomial) return;
  if (p.kind == kind::hybrid) binomial_from_ = static_cast<int>(std::ceil(p.shift * p.max_depth));
  for (int depth = 0; depth < tabulated_depths; ++depth)
    log_no_more_.push_back(std::log(1 - 1 / (1 + branching(depth))));
}

node tree::root() const { return {sha1({0, 0, 0, 0, static_cast<std::uint32_t>(is_.seed)}), 0}; }

int tree::num_children(const node& n) const {
  if (is_.kind == kind::geometric || n.depth < binomial_from_) return std::min(geometric(n), most_children);
  if (is_.kind == kind::binomial && n.depth == 0) return static_cast<int>(is_.root_branching);
  return std::min(binomial(n), most_children);
}

int tree::binomial(const node& n) const { return uniform(n) < is_.inner_probability ? is_.inner_children : 0; }

// The number of children is geometrically distributed with mean b, so P(at least k) = (1 - p)^k
// with p = 1 / (1 + b); inverting that at a uniform draw gives k. A mean of 0 gives a logarithm of
// minus infinity, and a quotient of 0.
int tree::geometric(const node& n) const {
  if (is_.shape == shape::fixed && n.depth >= is_.max_depth) return 0;
  const double log_no_more =
      n.depth < tabulated_depths ? log_no_more_[n.depth] : std::log(1 - 1 / (1 + branching(n.depth)));
  return static_cast<int>(std::floor(std::log(1 - uniform(n)) / log_no_more));
}

double tree::branching(int depth) const {
  const double d = depth, deepest = is_.max_depth, b = is_.root_branching;
  if (depth == 0) return b;
  switch (is_.shape) {
    case shape::exponential_decrease: return b * std::pow(d, -std::log(b) / std::log(deepest));
    case shape::cyclic: return d > 5 * deepest ? 0 : std::pow(b, std::sin(2 * 3.141592653589793 * d / deepest));
    case shape::fixed: return depth < is_.max_depth ? b : 0;
    case shape::linear: break;
  }
  return b * std::max(0.0, 1 - d / deepest);
}

std::span<const published_tree> published() { return trees; }

const published_tree* find(std::string_view name) {
  for (const published_tree& t : trees)
    if (t.name == name) return &t;
  return nullptr;
}

census search_serial(const tree& t) {
  census found;
  std::vector<node> open{t.root()};
  while (!open.empty()) {
    const node n = open.back();
    open.pop_back();
    const int children = t.num_children(n);
    found.visit(n, children);
    for (int i = 0; i < children; ++i) open.push_back(t.child(n, i));
  }
  return found;
}

}  // namespace uts
