#include "cc/acc/directive_tree.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cc/acc/directive_text.hpp"

using namespace stretto;
using namespace stretto::cc::acc;

namespace {

std::string shown(const std::string& text) {
  const preprocessed_text source(text);
  return text_of(read_directives(source), source);
}

std::vector<std::string> refused_codes(const std::string& text) {
  std::vector<std::string> codes;
  for (const error& e : read_directives(preprocessed_text(text)).refused) codes.push_back(e.code());
  return codes;
}

using codes = std::vector<std::string>;

}  // namespace

TEST_CASE("a directive governs the statement behind it, whatever its form") {
  CHECK(shown("# 1 \"x.c\"\n"
              "void f(int n, int* a) {\n"
              "#pragma acc data copy(a[0:n])\n"
              "  {\n"
              "#pragma acc parallel\n"
              "#pragma acc loop gang\n"
              "    for (int i = 0; i < n; ++i)\n"
              "      if (i % 2)\n"
              "        a[i] = 1;\n"
              "      else\n"
              "#pragma acc atomic\n"
              "        a[0] += 1;\n"
              "#pragma acc update self(a[0:n])\n"
              "    a[0] = 2;\n"
              "  }\n"
              "#pragma acc wait\n"
              "}\n") ==
        "x.c:2: data, lines 3 to 14\n"
        "  copy(a[0:n])\n"
        "  x.c:4: parallel, lines 6 to 11\n"
        "    x.c:5: loop, lines 6 to 11\n"
        "      gang\n"
        "      x.c:10: atomic, line 11\n"
        "  x.c:12: update\n"
        "    self(a[0:n])\n"
        "x.c:15: wait\n");
}

TEST_CASE("lines are those of the user's files, which markers name") {
  CHECK(shown("# 1 \"dir/main.c\"\n"
              "# 1 \"loops.h\" 1\n"
              "\n"
              "#pragma acc routine seq\n"
              "int g(int);\n"
              "# 3 \"dir/main.c\" 2\n"
              "void f(void) {\n"
              "# 40 \"with \\\"quotes\\\".c\"\n"
              "#pragma acc serial\n"
              "  ;\n"
              "}\n") ==
        "loops.h:2: routine\n"
        "  seq\n"
        "with \"quotes\".c:40: serial, line 41\n");
  CHECK(shown("void f(void) {\n#pragma acc serial\n;\n}\n") == ":2: serial, line 3\n");
}

TEST_CASE("a directive of several lines is one, and other pragmas are none") {
  CHECK(shown("# 1 \"x.c\"\n"
              "#pragma omp parallel\n"
              "  #  pragma  acc  enter data \\\n"
              "   copyin(a) \\\n"
              "   create(b)\n"
              "#pragma accept\n"
              "int x;\n") ==
        "x.c:2: enter data\n"
        "  copyin(a)\n"
        "  create(b)\n");
}

TEST_CASE("a loop needs a for, and others need a statement") {
  CHECK(refused_codes("void f() {\n#pragma acc loop\nwhile (1) {}\n}\n") == codes{"O05"});
  CHECK(refused_codes("void f() {\n#pragma acc parallel loop\n{ for (;;) {} }\n}\n") == codes{"O05"});
  CHECK(refused_codes("void f() {\n#pragma acc parallel\n}\n") == codes{"O05"});
  CHECK(refused_codes("#pragma acc data copy(a)\n") == codes{"O05"});
  CHECK(refused_codes("void f() {\n#pragma acc atomic\n{ x++; }\n}\n") == codes{"O05"});
  CHECK(refused_codes("void f() {\n#pragma acc atomic capture\n{ v = x; x++; }\n}\n").empty());
}

TEST_CASE("a region that runs on a device holds no regions, and nothing that the host does") {
  const auto inside = [](const std::string& directive) {
    return refused_codes("void f() {\n#pragma acc parallel\n{\n#pragma acc " + directive + "\nfor (;;) {}\n}\n}\n");
  };
  CHECK(inside("loop").empty());
  for (const char* one : {"parallel", "kernels loop", "serial", "data copy(a)", "update self(a)", "wait",
                          "enter data create(a)", "host_data use_device(a)", "mpi sendbuf(device)"})
    CHECK_MESSAGE(inside(one) == codes{"O06"}, one);
  CHECK(inside("cache(a[0:4])") == codes{"O06"});
  CHECK(refused_codes("void f() {\n#pragma acc parallel loop\nfor (;;) {\n#pragma acc cache(a[0:4])\nx = 1; }\n}\n")
            .empty());
}

TEST_CASE("all directives that are wrong are reported, and the others are read") {
  const std::string text =
      "#pragma acc paralel\n"
      "#pragma acc routine seq\n"
      "#pragma acc update host(a\n"
      "#pragma acc wait(1)\n";
  CHECK(refused_codes(text) == codes{"O01", "O03"});
  CHECK(shown(text) == ":2: routine\n  seq\n:4: wait\n  wait(1)\n");
}
