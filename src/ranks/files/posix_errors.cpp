// posix_errors.cpp - which errno is which class.
#include "ranks/files/posix_errors.hpp"

#include <cerrno>
#include <system_error>

namespace stretto::ranks {

error_class class_of_file_error(int number) {
  switch (number) {
    case ENOENT: return error_class::no_such_file;
    case EEXIST: return error_class::file_exists;
    case EACCES:
    case EPERM: return error_class::access;
    case EROFS: return error_class::read_only;
    case ENOSPC:
    case EFBIG: return error_class::no_space;
    case EDQUOT: return error_class::quota;
    case EBUSY:
    case ETXTBSY: return error_class::file_in_use;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP: return error_class::bad_file;
    default: return error_class::io;
  }
}

void throw_file_error(int number, const std::string& what) {
  throw call_error(class_of_file_error(number), what + ": " + std::generic_category().message(number));
}

}  // namespace stretto::ranks
