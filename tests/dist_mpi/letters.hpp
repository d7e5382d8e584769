// letters.hpp - programs of real processes about messages: floods, what is too large, buffers, and letters under way
// when a node dies.
#pragma once

namespace stretto::test {

/// Node 0 sends far more than there is room for to functions and to a mobile object of the last node, which is slow.
/// Neither node's memory grows by more than a part of that. Needs STRETTO_MESSAGE_MEMORY=8M.
void flood_the_last();

/// Messages beyond STRETTO_LARGEST_MESSAGE=20M are refused, there and back, and the others come.
void refuse_what_is_large();

/// Buffers come in the memory that their sender names, and last until what their handlers have launched has ended.
void send_buffers();

/// Node 2 is killed when it has handled `at` letters of objects that move; a node waits for its event meanwhile.
void die_among_letters(long at);

}  // namespace stretto::test
