// data_representation.cpp - external32.
#include "ranks/files/data_representation.hpp"

#include "ranks/datatypes/checked_number.hpp"
#include "ranks/datatypes/external32.hpp"

namespace stretto::ranks {
namespace {

class external32 final : public data_representation {
 public:
  const std::string& name() const override { return name_; }
  std::int64_t bytes_of(const datatype& basic) const override { return external_size(basic, 1); }
  std::vector<std::byte> to_file(const datatype& type, const void* elements, std::int64_t count) const override {
    std::vector<std::byte> bytes(static_cast<std::size_t>(external_size(type, count)));
    std::int64_t position = 0;
    pack_external(type, elements, count, bytes, position);
    return bytes;
  }
  std::int64_t from_file(const datatype& type, void* elements, std::span<const std::byte> bytes) const override {
    const std::int64_t each = external_size(type, 1);
    if (each == 0) return 0;
    const std::int64_t count = std::ssize(bytes) / each;
    std::int64_t position = 0;
    unpack_external(type, elements, count, bytes, position);
    return count * type.size();
  }

 private:
  const std::string name_ = "external32";
};

}  // namespace

std::int64_t bytes_in_file(const data_representation& as, const datatype& type, std::int64_t count) {
  if (type.basic()) return product(as.bytes_of(type), count);
  std::int64_t bytes = 0;
  for (const type_block& block : type.map().blocks) bytes = sum(bytes, bytes_in_file(as, *block.type, block.length));
  return product(product(bytes, type.map().count), count);
}

const representation_ref& external32_representation() {
  static const representation_ref one = std::make_shared<external32>();
  return one;
}

}  // namespace stretto::ranks
