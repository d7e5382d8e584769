#include "platform/json_reader.hpp"

#include <charconv>
#include <cstdio>
#include <stretto/error.hpp>

#include "base/utf8.hpp"

namespace stretto::places {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// One character of a message: itself if it can be printed, else its number.
std::string shown(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "the end of the text";
  const auto c = static_cast<unsigned char>(text[at]);
  if (c > 0x20 && c < 0x7f) return std::string("'") + static_cast<char>(c) + "'";
  if (c >= 0x80)
    for (std::size_t n = 2; n <= 4; ++n)
      if (base::first_bad_utf8(text.substr(at, n)) >= n && at + n <= text.size())
        return "'" + std::string(text.substr(at, n)) + "'";
  if (c == ' ') return "a space";
  char number[16];
  std::snprintf(number, sizeof number, "byte 0x%02x", c);
  return number;
}

class reader {
 public:
  explicit reader(const source_text& source) : source_(source), text_(source.text) {}

  json_value document() {
    skip_space();
    json_value v = value(0);
    skip_space();
    if (at_ != text_.size()) throw malformed("expected the end of the text, found " + shown(text_, at_));
    return v;
  }

 private:
  error malformed(std::string sentence) const { return malformed_at(at_, std::move(sentence)); }
  error malformed_at(std::size_t offset, std::string sentence) const {
    return error("P01", std::move(sentence)).fact("file", source_.at(offset));
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  json_value value(std::size_t depth) {
    if (depth > max_json_depth)
      throw error("P10", "lists and objects are nested more than " + std::to_string(max_json_depth) + " deep")
          .fact("file", source_.at(at_))
          .because("a locality graph needs four levels");
    if (++values_ > max_json_values)
      throw error("P10", "the text contains more than " + std::to_string(max_json_values) + " values")
          .fact("file", source_.at(at_));
    json_value v;
    v.offset = at_;
    switch (peek()) {
      case '{': object(v, depth); break;
      case '[': list(v, depth); break;
      case '"': v.is = json_value::type::string, v.text = string(v.plain); break;
      case 't': word("true"), v.is = json_value::type::boolean, v.truth = true; break;
      case 'f': word("false"), v.is = json_value::type::boolean; break;
      case 'n': word("null"); break;
      default:
        if (!is_digit(peek()) && peek() != '-') throw malformed("expected a value, found " + shown(text_, at_));
        number(v);
    }
    return v;
  }

  void word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) throw malformed("expected a value, found " + shown(text_, at_));
    at_ += expected.size();
  }

  void number(json_value& v) {
    const std::size_t from = at_;
    const auto digits = [&] {
      if (!is_digit(peek())) throw malformed("expected a digit, found " + shown(text_, at_));
      while (is_digit(peek())) ++at_;
    };
    if (peek() == '-') ++at_;
    if (peek() == '0') ++at_;
    else digits();
    if (is_digit(peek())) throw malformed_at(from, "a number may not begin with 0");
    if (peek() == '.') ++at_, digits();
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      digits();
    }
    v.is = json_value::type::number;
    v.text = text_.substr(from, at_ - from);
    const auto [end, fault] = std::from_chars(v.text.data(), v.text.data() + v.text.size(), v.number);
    if (fault != std::errc()) throw malformed_at(from, "this number is out of range");
  }

  unsigned four_hex_digits() {
    unsigned code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const int digit = is_digit(c)            ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) throw malformed("expected four hexadecimal digits after \\u, found " + shown(text_, at_));
      code = code * 16 + static_cast<unsigned>(digit);
    }
    return code;
  }

  void escape(std::string& out) {
    const std::size_t from = at_ - 1;
    const char c = peek();
    constexpr std::string_view names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    if (const auto i = names.find(c); at_ < text_.size() && i != names.npos) {
      out += meant[i], ++at_;
      return;
    }
    if (c != 'u') throw malformed_at(from, "\\ is followed by " + shown(text_, at_) + ", which is no escape");
    ++at_;
    unsigned code = four_hex_digits();
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      const unsigned low = four_hex_digits();
      if (low < 0xDC00 || low > 0xDFFF) throw malformed_at(from, "half of a surrogate pair stands alone");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xD800 && code <= 0xDFFF) {
      throw malformed_at(from, "half of a surrogate pair stands alone");
    }
    const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
    if (code < 0x80) put(code);
    else if (code < 0x800) put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
    else if (code < 0x10000) put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
    else
      put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)),
          put(0x80 | (code & 0x3F));
  }

  std::string string(bool& plain) {
    const std::size_t from = at_++;
    std::string out;
    plain = true;
    for (;;) {
      if (at_ >= text_.size()) throw malformed_at(from, "this text has no closing quote");
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') break;
      if (c == '\n') throw malformed_at(from, "this text has no closing quote on its line");
      if (c < 0x20)
        throw malformed("a text holds the control character " + shown(text_, at_) + "; write it as an escape");
      ++at_;
      if (c == '\\') plain = false, escape(out);
      else out += static_cast<char>(c);
    }
    const auto raw = text_.substr(from + 1, at_ - from - 1);
    if (const auto bad = base::first_bad_utf8(raw); bad != raw.size())
      throw malformed_at(from + 1 + bad, "this text is not UTF-8");
    ++at_;
    return out;
  }

  void list(json_value& v, std::size_t depth) {
    v.is = json_value::type::list;
    const std::size_t from = at_++;
    for (skip_space(); peek() != ']'; skip_space()) {
      if (at_ >= text_.size()) throw malformed_at(from, "this list has no closing ]");
      v.items.push_back(value(depth + 1));
      skip_space();
      if (peek() == ',') ++at_;
      else if (at_ < text_.size() && peek() != ']')
        throw malformed("expected , or ] in a list, found " + shown(text_, at_));
    }
    ++at_;
  }

  void object(json_value& v, std::size_t depth) {
    v.is = json_value::type::object;
    const std::size_t from = at_++;
    for (skip_space(); peek() != '}'; skip_space()) {
      if (at_ >= text_.size()) throw malformed_at(from, "this object has no closing }");
      json_member m;
      m.offset = at_;
      bool plain;
      if (peek() == '"') m.key = string(plain);
      else if (is_digit(peek())) {
        m.bare = true;
        while (is_digit(peek())) m.key += text_[at_++];
      } else throw malformed("expected a key in quotes or a worker number, found " + shown(text_, at_));
      skip_space();
      if (peek() != ':')
        throw malformed("expected : after the key \"" + m.key.substr(0, 60) + "\", found " + shown(text_, at_));
      ++at_;
      skip_space();
      m.value = value(depth + 1);
      v.members.push_back(std::move(m));
      skip_space();
      if (peek() == ',') ++at_;
      else if (at_ < text_.size() && peek() != '}' && !is_digit(peek()))
        throw malformed("expected , or } in an object, found " + shown(text_, at_));
    }
    ++at_;
  }

  const source_text& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
};

}  // namespace

std::string source_text::at(std::size_t offset) const {
  std::size_t line = 1, column = 1;
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
    if (text[i] == '\n') ++line, column = 1;
    else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++column;
  }
  return std::string(name) + ":" + std::to_string(line) + ":" + std::to_string(column);
}

std::string json_value::described() const {
  const auto brief = [](const std::string& s) {
    if (s.size() <= 40) return s;
    std::size_t end = 37;
    while (end > 0 && (static_cast<unsigned char>(s[end]) & 0xC0) == 0x80) --end;
    return s.substr(0, end) + "...";
  };
  switch (is) {
    case type::null: return "null";
    case type::boolean: return truth ? "true" : "false";
    case type::number: return "the number " + brief(text);
    case type::string: return "the text " + json_quoted(brief(text));
    case type::list: return "a list";
    default: return "an object";
  }
}

json_value read_json(const source_text& source) { return reader(source).document(); }

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20) {
      char number[8];
      std::snprintf(number, sizeof number, "\\u%04x", static_cast<unsigned>(c));
      out += number;
    } else out += c;
  }
  return out + '"';
}

}  // namespace stretto::places
