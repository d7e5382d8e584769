# Read by ctest before it runs anything: every test inherits it.
if(NOT DEFINED ENV{STRETTO_STUCK})
  set(ENV{STRETTO_STUCK} 20)
endif()
