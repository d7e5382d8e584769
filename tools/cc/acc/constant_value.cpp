#include "cc/acc/constant_value.hpp"

#include <charconv>
#include <string_view>

namespace stretto::cc::acc {
namespace {

using value = std::optional<std::int64_t>;

constexpr int most_brackets = 100;

value value_of_number(std::string_view spelling) {
  while (!spelling.empty() && std::string_view("uUlL").find(spelling.back()) != spelling.npos)
    spelling.remove_suffix(1);
  int base = 10;
  if (spelling.starts_with("0x") || spelling.starts_with("0X")) base = 16, spelling.remove_prefix(2);
  else if (spelling.size() > 1 && spelling[0] == '0') base = 8;
  std::int64_t result = 0;
  const char* const end = spelling.data() + spelling.size();
  const auto [behind, status] = std::from_chars(spelling.data(), end, result, base);
  return status == std::errc{} && behind == end ? value(result) : std::nullopt;
}

value combined(value left, std::string_view sign, value right) {
  if (!left || !right) return std::nullopt;
  std::int64_t result = 0;
  if (sign == "+") return __builtin_add_overflow(*left, *right, &result) ? std::nullopt : value(result);
  if (sign == "-") return __builtin_sub_overflow(*left, *right, &result) ? std::nullopt : value(result);
  if (sign == "*") return __builtin_mul_overflow(*left, *right, &result) ? std::nullopt : value(result);
  if (*right == 0 || (*left == INT64_MIN && *right == -1)) return std::nullopt;
  return sign == "/" ? *left / *right : *left % *right;
}

class constant_reader {
 public:
  constant_reader(const tokens& all, const name_scope& scope) : all_(all), scope_(scope) {}

  value read() {
    const value result = read_sum();
    return at_ == all_.size() ? result : std::nullopt;
  }

 private:
  bool is(std::string_view spelling) const { return at_ < all_.size() && all_[at_] == spelling; }

  value read_sum() {
    value left = read_product();
    while (left && (is("+") || is("-"))) {
      const std::string_view sign = all_[at_++].spelling;
      left = combined(left, sign, read_product());
    }
    return left;
  }

  value read_product() {
    value left = read_operand();
    while (left && (is("*") || is("/") || is("%"))) {
      const std::string_view sign = all_[at_++].spelling;
      left = combined(left, sign, read_operand());
    }
    return left;
  }

  value read_operand() {
    if (at_ == all_.size()) return std::nullopt;
    const token& t = all_[at_++];
    if (t == "-" || t == "+") {
      if (++depth_ > most_brackets) return std::nullopt;
      const value operand = read_operand();
      --depth_;
      return combined(0, t.spelling, operand);
    }
    if (t == "(") {
      if (++depth_ > most_brackets) return std::nullopt;
      const value inside = read_sum();
      --depth_;
      return is(")") && ++at_ ? inside : std::nullopt;
    }
    if (t.is == token::what::number) return value_of_number(t.spelling);
    if (t.is != token::what::name) return std::nullopt;
    const declaration* const of = scope_.names.visible(t.spelling, scope_.offset, scope_.source);
    return of && of->is == declaration::place::constant ? value(of->value) : std::nullopt;
  }

  const tokens& all_;
  const name_scope& scope_;
  std::size_t at_ = 0;
  int depth_ = 0;  // of brackets and signs
};

}  // namespace

std::optional<std::int64_t> constant_value(const tokens& expression, const name_scope& scope) {
  return constant_reader(expression, scope).read();
}

}  // namespace stretto::cc::acc
