#include "cc/acc/divided_loops.hpp"

#include <fmt/format.h>

#include "cc/acc/code_printer.hpp"

namespace stretto::cc::acc {
namespace {

/// The variable in iteration `number` of its loop.
std::string value_text(const divided_loop& one, const std::string& number) {
  const std::string distance = one.step == "1" ? number : fmt::format("({}) * ({})", number, one.step);
  return fmt::format("{} {} {}", one.first, one.goes_down ? "-" : "+", distance);
}

std::string variable_text(const divided_loop& one, const std::string& number, unsigned depth) {
  return fmt::format("{}{} = {};\n", indent_of(depth), one.declaration, value_text(one, number));
}

/// The numbers of an iteration in each loop: "const long stretto_i1 = k % n1, stretto_i0 = k / n1;"
std::string digits_text(const std::string& name, const std::string& from, std::size_t loops, const char* type) {
  std::string text = type, rest = from;
  for (std::size_t i = loops; i-- > 0;) {
    const std::string digit = i > 0 ? fmt::format("{} % stretto_n{}", rest, i) : rest;
    text += fmt::format("{}stretto_{}{} = {}", i + 1 == loops ? " " : ", ", name, i, digit);
    rest += fmt::format(" / stretto_n{}", i);
  }
  return text + ";\n";
}

/// Of one loop: its variable is stepped.
std::string single_text(const divided_loop& one, const iteration_text& body, unsigned depth) {
  const std::string in = indent_of(depth);
  return variable_text(one, "stretto_k", depth) +
         fmt::format("{}for (; stretto_k < stretto_last; ++stretto_k, {} {} {}) {{\n", in, one.name,
                     one.goes_down ? "-=" : "+=", one.step) +
         body(depth + 1) + in + "}\n";
}

/// Runs of the innermost loop, each with the next iteration of the loops around it.
std::string runs_text(const divided_loops& loops, const iteration_text& body, unsigned depth) {
  const std::size_t last = loops.size() - 1;
  const auto in = [&](unsigned more) { return indent_of(depth + more); };
  const divided_loop& inner = loops[last];
  std::string text = in(0) + digits_text("i", "stretto_k", loops.size(), "long");
  text += in(0) + "while (stretto_k < stretto_last) {\n";
  for (std::size_t i = 0; i < last; ++i) text += variable_text(loops[i], fmt::format("stretto_i{}", i), depth + 1);
  text += variable_text(inner, fmt::format("stretto_i{}", last), depth + 1);
  text += fmt::format(
      "{0}long stretto_run = stretto_n{1} - stretto_i{1};\n"
      "{0}if (stretto_run > stretto_last - stretto_k) stretto_run = stretto_last - stretto_k;\n"
      "{0}for (; stretto_run > 0; --stretto_run, ++stretto_k, {2} {3} {4}) {{\n",
      in(1), last, inner.name, inner.goes_down ? "-=" : "+=", inner.step);
  text += body(depth + 2) + in(1) + "}\n";
  text += fmt::format("{}stretto_i{} = 0, ++stretto_i{};\n", in(1), last, last - 1);
  for (std::size_t i = last - 1; i > 0; --i)
    text += fmt::format("{0}if (stretto_i{1} == stretto_n{1}) stretto_i{1} = 0, ++stretto_i{2};\n", in(1), i, i - 1);
  return text + in(0) + "}\n";
}

/// Adds the digits of the number of gangs, from the innermost loop outwards; each carries at most one.
std::string carry_text(std::size_t loops) {
  std::string text;
  for (std::size_t i = loops; i-- > 1;)
    text += fmt::format(
        ", stretto_i{0} += stretto_step{0}, stretto_i{1} += stretto_i{0} >= stretto_n{0}, "
        "stretto_i{0} -= stretto_i{0} >= stretto_n{0} ? stretto_n{0} : 0",
        i, i - 1);
  return text + ", stretto_i0 += stretto_step0";
}

}  // namespace

std::string counts_text(const divided_loops& loops, unsigned depth) {
  std::string text, count;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    text += fmt::format("{}const long stretto_n{} = {};\n", indent_of(depth), i, loops[i].trips);
    count += fmt::format("{}stretto_n{}", i > 0 ? " * " : "", i);
  }
  return text + fmt::format("{}const long stretto_count = {};\n", indent_of(depth), count);
}

std::string contiguous_text(const divided_loops& loops, const iteration_text& body, unsigned depth) {
  const std::string in = indent_of(depth);
  const std::string text = fmt::format(
      "{0}const long stretto_last = stretto_acc_part(stretto_count, stretto_gang + 1, stretto_gangs);\n"
      "{0}long stretto_k = stretto_acc_part(stretto_count, stretto_gang, stretto_gangs);\n",
      in);
  if (loops.size() == 1) return text + single_text(loops[0], body, depth);
  return text + in + "if (stretto_k < stretto_last) {\n" + runs_text(loops, body, depth + 1) + in + "}\n";
}

std::string strided_text(const divided_loops& loops, const iteration_text& body, unsigned depth) {
  const std::string in = indent_of(depth);
  const std::string head =
      "{}for (long stretto_k = stretto_gang; stretto_k < stretto_count; stretto_k += stretto_gangs{}) {{\n";
  if (loops.size() == 1)
    return fmt::format(fmt::runtime(head), in, "") + variable_text(loops[0], "stretto_k", depth + 1) + body(depth + 1) +
           in + "}\n";
  const std::string inside = indent_of(depth + 1);
  std::string text = in + "if (stretto_count > 0) {\n";
  text += inside + digits_text("i", "stretto_gang", loops.size(), "long");
  text += inside + digits_text("step", "stretto_gangs", loops.size(), "const long");
  text += fmt::format(fmt::runtime(head), inside, carry_text(loops.size()));
  for (std::size_t i = 0; i < loops.size(); ++i)
    text += variable_text(loops[i], fmt::format("stretto_i{}", i), depth + 2);
  return text + body(depth + 2) + inside + "}\n" + in + "}\n";
}

std::string values_behind_text(const divided_loops& loops, unsigned depth) {
  std::string text, condition = "stretto_gang == 0";
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const divided_loop& one = loops[i];
    if (one.sets_variable)
      text += fmt::format("{}if ({}) *stretto_of_{} = {};\n", indent_of(depth), condition, one.name,
                          value_text(one, fmt::format("stretto_n{}", i)));
    condition += fmt::format(" && stretto_n{} > 0", i);
  }
  return text;
}

}  // namespace stretto::cc::acc
