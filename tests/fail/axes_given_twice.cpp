// Each axis of an array is one of the range's, and each of those is used once.
// expect: transposed_by takes each of the axes 0, 1 and 2 once
#include <stretto/mapper.hpp>

stretto::mappers::transposed sound() { return stretto::transposed_by(1, 2, 0); }
stretto::mappers::transposed odd() { return stretto::transposed_by(1, 1, 0); }  // fails
