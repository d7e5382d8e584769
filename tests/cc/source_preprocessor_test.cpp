#include "cc/acc/source_preprocessor.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <stretto/error.hpp>
#include <string>
#include <utility>
#include <vector>

#include "refused_code.hpp"
#include "temporary_folder.hpp"

using namespace stretto;
using namespace stretto::cc::acc;

namespace {

/// The text of the first directive, without spaces at its ends.
std::string directive_in(const std::string& program, std::vector<std::string> command) {
  const test::temporary_folder folder;
  std::ofstream(folder.path / "x.c") << program;
  const preprocessed_text text = preprocess(std::move(command), folder.path / "x.c");
  REQUIRE(text.pragmas().size() == 1);
  const std::string directive = text.pragmas()[0].text;
  const auto first = directive.find_first_not_of(' ');
  return directive.substr(first, directive.find_last_not_of(' ') + 1 - first);
}

const std::string source_with_macros =
    "#define N 100\n#define COPIED(x) copyin(x[0:N])\n"
    "int a[N] = {_OPENACC};\n"
    "#pragma acc enter data COPIED(a) \\\n  if(N > 2)\n";

}  // namespace

TEST_CASE("macros in directives are replaced, and the version of OpenACC is ours, without a warning") {
  CHECK(directive_in(source_with_macros, {"gcc", "-D_OPENACC=202211", "-Werror", "-Wall", "-E"}) ==
        "enter data copyin(a[0:100]) if(100 > 2)");
}

TEST_CASE("a compiler that does not replace macros in directives leaves them") {
  const test::temporary_folder folder;
  const auto compiler = folder.path / "plain";
  std::ofstream(compiler) << "#!/bin/sh\ncase \"$*\" in *-fopenacc*) exit 1;; esac\nexec gcc \"$@\"\n";
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  CHECK(directive_in(source_with_macros, {compiler, "-D_OPENACC=202211", "-E"}) == "enter data COPIED(a) if(N > 2)");
}

TEST_CASE("a source that cannot be preprocessed is an error") {
  CHECK(test::code_of([] { preprocess({"false"}, "x.c"); }) == "W60");
}
