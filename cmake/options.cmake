# Compiler flags shared by everything in this project; consumers get none of them.
include(CheckCXXCompilerFlag)

add_library(pendec_flags INTERFACE)
target_compile_options(pendec_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  # Certificates and bounds are claims about floating point: a fused multiply-add must not change them.
  -ffp-contract=off
  # The library calls its own functions, also where a program defines one of the same name.
  -fno-semantic-interposition)
# Should a reader of files have a mistake after all, an overrun stack ends the program, and no table of addresses is
# left that could be written to. Sanitizers have their own watch and do not go with checked library calls.
target_link_options(pendec_flags INTERFACE LINKER:-z,relro,-z,now)
if(NOT PENDEC_SANITIZE)
  target_compile_options(pendec_flags INTERFACE
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()
# What only calls the library is compiled for a short build, not for speed. All of it has the same flags: so do the
# headers precompiled for it, in experiments/.
add_library(pendec_caller_flags INTERFACE)
target_link_libraries(pendec_caller_flags INTERFACE pendec_flags)
target_compile_options(pendec_caller_flags INTERFACE $<$<NOT:$<CONFIG:Debug>>:-Og>)
if(NOT PENDEC_SANITIZE)
  target_compile_options(pendec_caller_flags INTERFACE -fstack-protector-strong)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(pendec_caller_flags INTERFACE -Wno-maybe-uninitialized)  # wrong at -Og, in <stop_token>
endif()
if(PENDEC_WERROR)
  target_compile_options(pendec_flags INTERFACE -Werror)
  if(PENDEC_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC's flow analysis misjudges code that a sanitizer has rewritten: these stay warnings.
    target_compile_options(pendec_flags INTERFACE
      -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow -Wno-error=stringop-overread)
  endif()
endif()
if(PENDEC_NATIVE)
  # Eigen 3.4's 512-bit packets gain nothing on the short vectors of the inner loops and trip GCC 12's warnings. Tuned
  # for Ice Lake, GCC 12.2 copies the constant {.5, .5, 0, 0} as {.5, .5, .5, .5}: the generic tuning does not.
  foreach(flag -march=native -mno-avx512f -mtune=generic)
    string(MAKE_C_IDENTIFIER "PENDEC_HAS${flag}" known)
    check_cxx_compiler_flag(${flag} ${known})
    if(${known})
      target_compile_options(pendec_flags INTERFACE ${flag})
    endif()
  endforeach()
endif()
if(PENDEC_SANITIZE)
  target_compile_options(pendec_flags INTERFACE -fsanitize=${PENDEC_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(pendec_flags INTERFACE -fsanitize=${PENDEC_SANITIZE})
  if(PENDEC_SANITIZE MATCHES "undefined")
    # The address sanitizer sees what these would, and on Eigen's templates they double the time of a build.
    target_compile_options(pendec_flags INTERFACE -fno-sanitize=null,alignment,object-size,vptr)
  endif()
endif()
if(PENDEC_FUZZERS)
  target_compile_options(pendec_flags INTERFACE -fsanitize=fuzzer-no-link)  # coverage, for the fuzzers to steer by
endif()
if(PENDEC_COVERAGE)
  target_compile_options(pendec_flags INTERFACE --coverage)
  target_link_options(pendec_flags INTERFACE --coverage)
endif()
