#include "cc/acc/message_call.hpp"

#include <doctest/doctest.h>

#include <string>

#include "cc/acc/translation.hpp"

using namespace stretto::cc;

namespace {

/// The text behind the declarations for a source with `text` in it.
std::string text_with_messages(const std::string& text) {
  const std::string declarations =
      "# 1 \"x.c\"\ntypedef int MPI_Comm; typedef int MPI_Datatype; typedef int MPI_Request;\n"
      "void *malloc(unsigned long); double *allocated(int);\n"
      "int MPI_Send(const void *, int, MPI_Datatype, int, int, MPI_Comm);\n"
      "int MPI_Recv(void *, int, MPI_Datatype, int, int, MPI_Comm, void *);\n"
      "int MPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm);\n"
      "int MPI_Reduce(const void *, void *, int, MPI_Datatype, int, int, MPI_Comm);\n";
  const acc::translation result = acc::translate(acc::preprocessed_text(declarations + text), language::c);
  if (!result.refused.empty()) return result.refused.front().what();
  return result.text;
}

/// The reason that a broadcast to the variable "p" is copied; empty if it may be shared.
std::string reason(const std::string& globals, const std::string& ahead, const std::string& behind = "") {
  const std::string text =
      text_with_messages(globals + "void f(double *given, int n) {\n" + ahead +
                         "\n#pragma acc mpi recvbuf(readonly)\n  MPI_Bcast(p, n, 3, 0, 0);\n" + behind + "\n}\n");
  const std::string begin = "stretto_acc_readonly_end(MPI_Bcast(stretto_acc_readonly_buffer(p, (void **)";
  const std::size_t at = text.find(begin);
  if (at == text.npos) return text;
  const std::string rest = text.substr(at + begin.size(), text.find('\n', at) - at - begin.size());
  if (rest.starts_with("&p, 0, (const char *)0, ")) return "";
  const std::size_t quote = rest.find('"');
  return rest.starts_with("0, 0, \"") ? rest.substr(quote, rest.find("\", \"x.c") - quote + 1) : rest;
}

}  // namespace

TEST_CASE("the runtime gets the only pointer to a received block") {
  CHECK(reason("", "  double *p = malloc(n);") == "");
  CHECK(reason("", "  double *p = n > 3 ? allocated(n) : malloc(8);", "  p[1] = p[0] + 2; double x = *p;") == "");
  CHECK(reason("", "  double *p = 0;\n  p = malloc(n);", "  MPI_Send(p, n, 3, 1, 0, 0);") == "");
  CHECK(reason("static double *p;\n", "") == "");
  CHECK(reason("static double *q;\nvoid other(double *p) { q = p; }\n", "  double *p = malloc(n);") == "");
}

TEST_CASE("a buffer to which the source has another pointer, or none that can change, is copied") {
  CHECK(reason("", "  double p[9];") == R"("its argument is not the name of a pointer variable")");
  CHECK(reason("", "  double *const p = malloc(n);") == R"("\"p\" is constant")");
  CHECK(reason("", "  double *p = given;") == R"("\"p\" is assigned from another variable")");
  CHECK(reason("", "  double *p = malloc(n);\n  double *q = p;") == R"("another variable may be assigned from \"p\"")");
  CHECK(reason("", "  double *p = malloc(n); char *q;", "  q = (char *)p;") ==
        R"("another variable may be assigned from \"p\"")");
  CHECK(reason("static double *p, *q;\nvoid other(void) { q = p + 1; }\n", "") ==
        R"("another variable may be assigned from \"p\"")");
  const std::string parameter = text_with_messages(
      "void f(double *p) {\n#pragma acc mpi recvbuf(readonly)\n  MPI_Recv(p, 1, 3, 0, 0, 0, 0);\n"
      "}\n");
  CHECK(parameter.find("the caller has another pointer to what \\\"p\\\" points to") != std::string::npos);
}

TEST_CASE("readonly data of a call that cannot share it is only reported") {
  const auto has = [](const std::string& directive, const std::string& call, const std::string& text) {
    return text_with_messages("void f(double *a, double *b) {\n#pragma acc mpi " + directive + "\n  " + call + "\n}\n")
               .find(text) != std::string::npos;
  };
  CHECK(has("sendbuf(readonly)", "MPI_Reduce(a, b, 1, 3, 0, 0, 0);",
            "stretto_acc_readonly_buffer(a, (void **)0, 1, \"its function has no part that ranks can share\", \"x.c:"));
  CHECK(has("recvbuf(readonly) async(1)", "MPI_Recv(b, 1, 3, 0, 0, 0, 0);",
            "stretto_acc_readonly_buffer(b, (void **)0, 0, \"it is in a queue: "));
  CHECK(has("sendbuf(readonly)", "int x = MPI_Send(a, 1, 3, 0, 0, 0) + 1;",
            "int x = stretto_acc_readonly_end(MPI_Send(stretto_acc_readonly_buffer(a, (void **)0, 1, "));
  CHECK(has("sendbuf(device)", "MPI_Send(a, 1, 3, 0, 0, 0);", "MPI_Send(stretto_acc_message_buffer((void *)(a), "));
}
