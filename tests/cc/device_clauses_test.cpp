#include "cc/acc/device_clauses.hpp"

#include <doctest/doctest.h>

#include <string>

#include "cc/acc/directive_parser.hpp"
#include "cc/acc/directive_text.hpp"

using namespace stretto::cc::acc;

namespace {

std::string clauses_for(const std::string& text, device_kind kind) {
  std::string all;
  for (const clause& one : directive_for(parse_directive(text, {"x.c", 1}), kind).clauses)
    all += (all.empty() ? "" : " ") + text_of(one);
  return all;
}

std::string choice(const std::string& text) {
  return choice_by_device(parse_directive(text, {"x.c", 1}), [](const directive& own) {
    const clause* const found = own.find(clause_kind::num_gangs);
    return found ? joined_text(found->arguments[0]) : "0";
  });
}

}  // namespace

TEST_CASE("clauses behind device_type hold for devices of that kind alone") {
  const std::string text = "parallel num_gangs(4) device_type(nvidia) vector_length(64) device_type(host) wait(1)";
  CHECK(clauses_for(text, device_kind::host) == "num_gangs(4) wait(1)");
  CHECK(clauses_for(text, device_kind::nvidia) == "num_gangs(4) vector_length(64)");
  CHECK(clauses_for(text, device_kind::opencl) == "num_gangs(4)");
}

TEST_CASE("clauses of a kind replace common ones of the same name") {
  const std::string text =
      "parallel num_gangs(4) async(1) device_type(host, opencl) num_gangs(2) dtype(multicore) wait";
  CHECK(clauses_for(text, device_kind::host) == "async(1) num_gangs(2) wait");
  CHECK(clauses_for(text, device_kind::opencl) == "async(1) num_gangs(2)");
  CHECK(clauses_for(text, device_kind::nvidia) == "num_gangs(4) async(1)");
}

TEST_CASE("an asterisk stands for the kinds that no other device_type of the directive names") {
  const std::string text = "loop device_type(*) vector device_type(opencl) gang";
  CHECK(clauses_for(text, device_kind::host) == "vector");
  CHECK(clauses_for(text, device_kind::opencl) == "gang");
}

TEST_CASE("clauses of a kind replace common ones that exclude them") {
  CHECK(clauses_for("loop gang collapse(2) device_type(host) seq", device_kind::host) == "collapse(2) seq");
  CHECK(clauses_for("loop seq device_type(host) gang", device_kind::host) == "gang");
  CHECK(clauses_for("loop gang device_type(host) vector", device_kind::host) == "gang vector");
  CHECK(clauses_for("loop gang independent device_type(host) auto", device_kind::host) == "gang auto");
}

TEST_CASE("init names a device: its device_type stays") {
  CHECK(clauses_for("init device_type(nvidia)", device_kind::host) == "device_type(nvidia)");
}

TEST_CASE("the program chooses among the texts by the type of its device, if they differ") {
  CHECK(choice("parallel num_gangs(4) device_type(host) num_gangs(4)") == "4");
  CHECK(choice("parallel device_type(host) num_gangs(4) device_type(nvidia) num_gangs(n)") ==
        "(stretto_acc_device_type() == 2 ? 4 : stretto_acc_device_type() == 5 ? n : 0)");
}
