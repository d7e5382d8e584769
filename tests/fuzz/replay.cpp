// replay.cpp - runs a fuzz target over the files of a folder, and over so many inputs made of them, where no fuzzer is
// at hand.
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "../campaign.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using input = std::basic_string<std::uint8_t>;

/// A copy of exactly its size, so that the sanitizer sees a read past the end.
void run(const input& bytes) {
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

/// Bytes changed, removed, doubled, and pieces and numbers of another input put in.
input mutated(input bytes, const std::vector<input>& all, std::mt19937& random) {
  static constexpr const char* pieces[] = {
      "{", "}", "[", "]", ",", "\"", "-1", "1e300", "null", "2305843009213693952", "18446744073709551615", "\xff"};
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1)); };
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(bytes.size()), length = below(16);
    if (bytes.empty()) return bytes;
    switch (below(6)) {
      case 0: bytes[at] = static_cast<std::uint8_t>(random()); break;
      case 1: bytes[at] ^= static_cast<std::uint8_t>(1u << below(8)); break;
      case 2: bytes.erase(at, length); break;
      case 3: bytes.insert(at, bytes.substr(below(bytes.size()), length)); break;
      case 4: {
        const input& other = all[below(all.size())];
        bytes.insert(at, other.substr(below(other.size()), 4 * length));
        break;
      }
      default: {
        const std::string piece = pieces[below(std::size(pieces))];
        const auto digits = std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(),
                                         [](std::uint8_t b) { return b >= '0' && b <= '9'; });
        const std::size_t to = static_cast<std::size_t>(digits - bytes.begin());
        bytes.replace(to, 1, reinterpret_cast<const std::uint8_t*>(piece.data()), piece.size());
      }
    }
  }
  return bytes;
}

/// Finds inputs that take more memory than any can be worth. Not under a sanitizer, which reserves addresses itself.
void limit_memory() {
  if (stretto::base::address_sanitizer || stretto::base::thread_sanitizer) return;
  const rlimit limit{rlim_t{1} << 30, rlim_t{1} << 30};
  setrlimit(RLIMIT_AS, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  limit_memory();
  std::vector<input> all;
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry.path());
  std::ranges::sort(files);  // so that the inputs made of them are the same everywhere
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    all.emplace_back(text.begin(), text.end());
    run(all.back());
  }
  if (all.empty()) return 1;
  std::mt19937 random(20261127);
  const int made = stretto::test::scaled(2'000, 1'000'000);
  for (int i = 0; i < made; ++i) run(mutated(all[static_cast<std::size_t>(i) % all.size()], all, random));
  std::printf("%zu inputs, and %d made of them\n", all.size(), made);
}
