// kernel_texts.cpp - preloaded into a program of Stretto, it writes what the program's kernels are for devices, in
// place of main.
//
// STRETTO_TEST_KERNEL_TEXTS names a folder, which gets NUMBER.AXES.cu and NUMBER.AXES.cl of each kernel; standard
// output gets a line for each: its number, its name, and what it is refused for, if it is. Another program runs as it
// does without.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

#include "device/kernel_text.hpp"
#include "linked_kernels.hpp"

namespace {

using text_for = stretto::device::kernel_text(const stretto::kernel_code&, stretto::device::dialect,
                                              stretto::device::index_checks);
using main_function = int(int, char**, char**);

/// The program's own: it knows which functions its kernels may use.
constexpr std::string_view name_of_text_for =
    "_ZN7stretto6device8text_forERKNS_11kernel_codeENS0_7dialectENS0_12index_checksE";

int write_texts(int, char**, char**) {
  const std::string folder = std::getenv("STRETTO_TEST_KERNEL_TEXTS");
  const stretto::test::program_symbols program;
  const auto make = std::ranges::find(program.all(), name_of_text_for, &stretto::test::program_symbols::symbol::name);
  int number = 0;
  for (const stretto::kernel_code* k : stretto::test::linked_kernels(program)) {
    if (make == program.all().end())
      return std::fprintf(stderr, "the program has kernels, and no %s: text_for has other parameters now\n",
                          name_of_text_for.data()),
             1;
    std::string refused;
    const std::string file = folder + "/" + std::to_string(++number) + "." + std::to_string(stretto::test::axes_of(*k));
    try {
      const auto text = [&](auto dialect) {
        return reinterpret_cast<text_for*>(make->address)(*k, dialect, stretto::device::index_checks::off).source;
      };
      std::ofstream(file + ".cu") << text(stretto::device::dialect::cuda);
      std::ofstream(file + ".cl") << text(stretto::device::dialect::opencl);
    } catch (const std::exception& e) {
      refused = e.what();
      std::ranges::replace(refused, '\n', ' ');
    }
    std::string name(k->name);  // "scale<float, 4>" in one word
    std::erase(name, ' ');
    std::printf("%d %s %s\n", number, name.c_str(), refused.c_str());
  }
  return 0;
}

}  // namespace

extern "C" int __libc_start_main(main_function* main, int count, char** words, void (*init)(), void (*fini)(),
                                 void (*loader)(), void* stack) {
  using start = int(main_function*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto go_on = reinterpret_cast<start*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return go_on(std::getenv("STRETTO_TEST_KERNEL_TEXTS") ? write_texts : main, count, words, init, fini, loader, stack);
}
