# ctest reads this file: the environment of the tests, where the caller has not chosen it.
cmake_path(SET data NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../shared/data")
if(NOT DEFINED ENV{PENDEC_DATA} AND EXISTS "${data}")
  set(ENV{PENDEC_DATA} "${data}")
endif()
if(NOT DEFINED ENV{OPENBLAS_NUM_THREADS})
  set(ENV{OPENBLAS_NUM_THREADS} 1)  # ctest runs tests side by side
endif()
if(NOT DEFINED ENV{UBSAN_OPTIONS})
  set(ENV{UBSAN_OPTIONS} print_stacktrace=1)
endif()
