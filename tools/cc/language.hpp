// language.hpp - the language that a compiler is called for.
#pragma once

namespace stretto::cc {

enum class language { c, cxx };

}  // namespace stretto::cc
