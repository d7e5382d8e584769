// work_item.hpp - something to run, as one pointer and one link: what executors run and channels call when done.
//
// Threads     an item is owned by one queue or one caller at a time; a previous owner does not touch it.
// Cost        no allocation: the item lives inside the operation that it belongs to.
#pragma once

#include <exception>

namespace stretto::places {

/// The base of anything that can be queued to run once. The function may destroy the item.
struct work_item {
  using function = void (*)(work_item&) noexcept;

  explicit work_item(function f) noexcept : run(f) {}

  function run;
  work_item* next = nullptr;  // free for the queue that holds the item
};

/// The completion of an operation: a work item that receives its failure, if there was one.
struct completion : work_item {
  using work_item::work_item;

  std::exception_ptr failure;  // set before run, null on success
};

}  // namespace stretto::places
