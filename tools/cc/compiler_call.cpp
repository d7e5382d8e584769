#include "cc/compiler_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stretto/error.hpp>
#include <string_view>

#include "cc/is_in.hpp"
#include "cc/response_file.hpp"

namespace stretto::cc {
namespace {

using std::string_view;

// Options whose value is the next argument. -o, -D and such may also have it within.
constexpr std::array<string_view, 35> with_value{"-o",
                                                 "-x",
                                                 "-I",
                                                 "-D",
                                                 "-U",
                                                 "-L",
                                                 "-l",
                                                 "-include",
                                                 "-imacros",
                                                 "-isystem",
                                                 "-iquote",
                                                 "-idirafter",
                                                 "-iprefix",
                                                 "-isysroot",
                                                 "-iwithprefix",
                                                 "-iwithprefixbefore",
                                                 "-MF",
                                                 "-MT",
                                                 "-MQ",
                                                 "-Xlinker",
                                                 "-Xpreprocessor",
                                                 "-Xassembler",
                                                 "-Xclang",
                                                 "-T",
                                                 "-u",
                                                 "-e",
                                                 "-z",
                                                 "-aux-info",
                                                 "--param",
                                                 "-target",
                                                 "-arch",
                                                 "-B",
                                                 "-A",
                                                 "-mllvm",
                                                 "-wrapper"};
constexpr std::array<string_view, 6> without_linking{"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"};
constexpr std::array<string_view, 3> other_programs{"-pie", "-no-pie", "--no-pie"};
constexpr std::array<string_view, 2> static_programs{"-static", "-static-pie"};

class call_reader {
 public:
  explicit call_reader(const std::vector<std::string>& arguments) : given_(arguments) {}

  compiler_call read() {
    const auto all = with_response_files(given_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& one = all[i];
      if (is_in(other_programs, one)) {
        is_changed_ = true;
        continue;
      }
      call_.arguments.push_back(one);
      if (is_in(with_value, one) && i + 1 < all.size()) {
        if (one == "-o") name_output(all[i + 1]);
        call_.arguments.push_back(all[++i]);
      } else {
        read_one(one);
      }
    }
    return finished();
  }

 private:
  void name_output(std::string name) {
    call_.output = std::move(name);
    call_.has_output = true;
  }

  void read_one(const std::string& one) {
    if (one == "-E" || one == "-M" || one == "-MM") call_.makes_text = true;
    if (is_in(without_linking, one)) links_ = false;
    else if (one == "-r") links_ = false;
    else if (one == "-shared" || one == "--shared") call_.product = product::library;
    else if (is_in(static_programs, one)) static_ = one;
    else if (one.starts_with("-o") && one.size() > 2) name_output(one.substr(2));
    else if (one == "-" || !one.starts_with('-')) call_.inputs.push_back(one);
  }

  compiler_call finished() {
    if (!links_ || call_.inputs.empty()) call_.product = product::objects;
    else if (call_.product != product::library) call_.product = product::program;
    if (!is_changed_) call_.arguments = given_;  // keeps response files, which may be longer than a command line
    if (call_.product == product::program && !static_.empty())
      throw error("W61", fmt::format("a program of ranks cannot be linked with {}", static_))
          .because("each rank is a copy of the program, which the system's loader loads")
          .remedy("link it without " + static_);
    return std::move(call_);
  }

  const std::vector<std::string>& given_;
  compiler_call call_;
  bool links_ = true, is_changed_ = false;
  std::string static_;
};

}  // namespace

compiler_call read_call(const std::vector<std::string>& arguments) { return call_reader(arguments).read(); }

}  // namespace stretto::cc
