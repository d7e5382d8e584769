#include "files/compression.hpp"

#include <stretto/error.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <new>

namespace stretto::files {
namespace {

/// The opened library, which is never closed.
void* library_of(const char* file, const char* codec, const char* package) {
  if (void* const is = ::dlopen(file, RTLD_NOW | RTLD_LOCAL)) return is;
  throw error("F06", std::string("the codec \"") + codec + "\" of an array needs the library " + file +
                         ", which cannot be opened")
      .because(::dlerror())
      .remedy(std::string("apt-get install ") + package + ", on every node");
}

template <class F>
F* function_of(void* library, const char* name) {
  if (void* const is = ::dlsym(library, name)) return reinterpret_cast<F*>(is);
  throw error("F06", std::string("the library of an array's codec has no function ") + name)
      .because(::dlerror())
      .remedy("install the system's own libraries (apt-get install libzstd1 zlib1g), on every node");
}

// Declarations of the libraries, whose interfaces are stable since versions 1.3 and 1.2.
struct zstd {
  void* const library = library_of("libzstd.so.1", "zstd", "libzstd1");
  std::size_t (*const bound)(std::size_t) = function_of<std::size_t(std::size_t)>(library, "ZSTD_compressBound");
  std::size_t (*const compress)(void*, std::size_t, const void*, std::size_t, int) =
      function_of<std::size_t(void*, std::size_t, const void*, std::size_t, int)>(library, "ZSTD_compress");
  std::size_t (*const decompress)(void*, std::size_t, const void*, std::size_t) =
      function_of<std::size_t(void*, std::size_t, const void*, std::size_t)>(library, "ZSTD_decompress");
  unsigned (*const is_error)(std::size_t) = function_of<unsigned(std::size_t)>(library, "ZSTD_isError");

  static const zstd& get() {
    static const zstd only;
    return only;
  }
};

struct zlib_stream {
  const unsigned char* next_in = nullptr;
  unsigned avail_in = 0;
  unsigned long total_in = 0;
  unsigned char* next_out = nullptr;
  unsigned avail_out = 0;
  unsigned long total_out = 0;
  const char* message = nullptr;
  void* state = nullptr;
  void* (*allocate)(void*, unsigned, unsigned) = nullptr;
  void (*release)(void*, void*) = nullptr;
  void* given = nullptr;
  int data_type = 0;
  unsigned long checksum = 0, reserved = 0;
};
constexpr int gzip_window = 15 + 16, stream_end = 1;

struct zlib {
  void* const library = library_of("libz.so.1", "gzip", "zlib1g");
  int (*const begin)(zlib_stream*, int, const char*,
                     int) = function_of<int(zlib_stream*, int, const char*, int)>(library, "inflateInit2_");
  int (*const inflate)(zlib_stream*, int) = function_of<int(zlib_stream*, int)>(library, "inflate");
  int (*const end)(zlib_stream*) = function_of<int(zlib_stream*)>(library, "inflateEnd");

  static const zlib& get() {
    static const zlib only;
    return only;
  }
};

// The most bytes that one byte of a stream can expand to; larger sizes are refused before memory is allocated. zstd:
// a block of four bytes expands to at most 128 KiB; deflate: two bits expand to at most 258 bytes.
constexpr std::size_t most_growth_by_zstd = (128 << 10) / 4, most_growth_by_gzip = 258 * 4;

}  // namespace

std::vector<std::byte> compressed_by_zstd(std::span<const std::byte> content) {
  const zstd& z = zstd::get();
  std::vector<std::byte> out(z.bound(content.size()));
  const std::size_t n = z.compress(out.data(), out.size(), content.data(), content.size(), 3);
  if (z.is_error(n)) throw std::bad_alloc();  // the output buffer suffices, so memory is what it lacks
  out.resize(n);
  return out;
}

std::optional<std::vector<std::byte>> expanded_by_zstd(std::span<const std::byte> stream, std::size_t bytes) {
  const zstd& z = zstd::get();
  if (bytes / most_growth_by_zstd > stream.size()) return {};
  std::vector<std::byte> out(bytes);
  if (z.decompress(out.data(), bytes, stream.data(), stream.size()) != bytes) return {};
  return out;
}

std::optional<std::vector<std::byte>> expanded_by_gzip(std::span<const std::byte> stream, std::size_t bytes) {
  const zlib& z = zlib::get();
  if (bytes / most_growth_by_gzip > stream.size()) return {};
  constexpr std::size_t most = 1u << 30;  // per call: the counts of zlib_stream have 32 bits
  zlib_stream s;
  if (z.begin(&s, gzip_window, "1.2.11", sizeof s) != 0) throw std::bad_alloc();
  std::vector<std::byte> out(bytes);
  std::size_t read = 0, made = 0;
  int code = 0;
  do {
    s.next_in = reinterpret_cast<const unsigned char*>(stream.data() + read);
    s.avail_in = static_cast<unsigned>(std::min(most, stream.size() - read));
    s.next_out = reinterpret_cast<unsigned char*>(out.data() + made);
    s.avail_out = static_cast<unsigned>(std::min(most, bytes - made));
    const unsigned in = s.avail_in, space = s.avail_out;
    code = z.inflate(&s, 0);
    read += in - s.avail_in;
    made += space - s.avail_out;
    if (in == s.avail_in && space == s.avail_out) break;
  } while (code == 0);
  z.end(&s);
  if (code != stream_end || made != bytes) return {};
  return out;
}

}  // namespace stretto::files
