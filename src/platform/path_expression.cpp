#include "platform/path_expression.hpp"

namespace stretto::places {

class expression_parser {
 public:
  using op = path_expression::op;

  expression_parser(std::string_view text, path_expression& into) : text_(text), code_(into.code_) {}

  void run() {
    std::size_t literal = 0;
    while ((at_ = text_.find("$(", literal)) != text_.npos) {
      if (at_ > literal) code_.push_back({op::literal, literal, 0, std::string(text_.substr(literal, at_ - literal))});
      const std::size_t from = at_;
      at_ += 2;
      sum(0);
      if (next() != ')') throw expected("an operator or )");
      code_.push_back({op::print, from});
      literal = ++at_;
    }
    if (!code_.empty() && literal < text_.size())
      code_.push_back({op::literal, literal, 0, std::string(text_.substr(literal))});
  }

 private:
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bad_expression expected(const std::string& what) {
    next();
    if (at_ >= text_.size()) return {at_, "expected " + what + ", found the end of the name"};
    std::size_t n = 1;  // a whole character
    while (at_ + n < text_.size() && (static_cast<unsigned char>(text_[at_ + n]) & 0xC0) == 0x80) ++n;
    return {at_, "expected " + what + ", found '" + std::string(text_.substr(at_, n)) + "'"};
  }

  void sum(int depth) {
    product(depth);
    for (char c = next(); c == '+' || c == '-'; c = next()) {
      const std::size_t from = at_++;
      product(depth);
      code_.push_back({c == '+' ? op::add : op::subtract, from});
    }
  }

  void product(int depth) {
    unary(depth);
    for (char c = next(); c == '*' || c == '/' || c == '%'; c = next()) {
      const std::size_t from = at_++;
      unary(depth);
      code_.push_back({c == '*' ? op::multiply : c == '/' ? op::divide : op::modulo, from});
    }
  }

  void unary(int depth) {
    if (depth > 64) throw bad_expression{at_, "is nested more than 64 deep"};
    const char c = next();
    if (c == '-') {
      const std::size_t from = at_++;
      unary(depth + 1);
      code_.push_back({op::negate, from});
    } else if (c == '(') {
      ++at_;
      sum(depth + 1);
      if (next() != ')') throw expected("an operator or )");
      ++at_;
    } else if (c >= '0' && c <= '9') {
      number();
    } else if (c >= 'a' && c <= 'z') {
      const std::size_t from = at_;
      while (at_ < text_.size() && ((text_[at_] >= 'a' && text_[at_] <= 'z') || text_[at_] == '_')) ++at_;
      if (const auto word = text_.substr(from, at_ - from); word != "id")
        throw bad_expression{from, "knows \"id\", the worker's number, but not \"" + std::string(word) + "\""};
      code_.push_back({op::id, from});
    } else {
      throw expected("a number, id or (");
    }
  }

  void number() {
    const std::size_t from = at_;
    std::int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text_[at_] - '0', &value))
        throw bad_expression{from, "has a number that needs more than 64 bits"};
    code_.push_back({op::number, from, value});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<path_expression::instruction>& code_;
};

path_expression::path_expression(std::string_view text) : text_(text) { expression_parser(text_, *this).run(); }

std::string path_expression::expand(std::int64_t id) const {
  if (code_.empty()) return text_;
  std::string out;
  std::vector<std::int64_t> stack;
  const auto pop = [&] {
    const auto top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const auto& i : code_) {
    switch (i.does) {
      case op::literal: out += i.text; continue;
      case op::print: out += std::to_string(pop()); continue;
      case op::number: stack.push_back(i.value); continue;
      case op::id: stack.push_back(id); continue;
      default: break;
    }
    const std::int64_t right = pop(), left = i.does == op::negate ? 0 : pop();
    std::int64_t result = 0;
    bool overflows = false;
    switch (i.does) {
      case op::add: overflows = __builtin_add_overflow(left, right, &result); break;
      case op::negate:
      case op::subtract: overflows = __builtin_sub_overflow(left, right, &result); break;
      case op::multiply: overflows = __builtin_mul_overflow(left, right, &result); break;
      default:
        if (right == 0) throw bad_expression{i.offset, "divides by zero"};
        if (right == -1) overflows = i.does == op::divide && __builtin_sub_overflow(std::int64_t{0}, left, &result);
        else result = i.does == op::divide ? left / right : left % right;
    }
    if (overflows) throw bad_expression{i.offset, "overflows 64 bits"};
    stack.push_back(result);
  }
  return out;
}

}  // namespace stretto::places
