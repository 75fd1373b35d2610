# expect_hardened(FILE RUNPATH): a program or library that looks for others in no folder but RUNPATH, all of whose
# addresses are bound and read-only before it begins, and that watches its stack. Also on its own:
#   cmake -D READELF=readelf -D FILE=… -D RUNPATH=… -P hardened.cmake
function(expect_hardened file runpath)
  execute_process(COMMAND ${READELF} --wide --dynamic --program-headers --dyn-syms ${file}
                  OUTPUT_VARIABLE shown COMMAND_ERROR_IS_FATAL ANY)
  set(found "")
  if(shown MATCHES "\\((RUNPATH|RPATH)\\)[^\n]*\\[([^]\n]*)\\]")
    set(found "${CMAKE_MATCH_2}")
  endif()
  if(NOT found STREQUAL runpath)
    message(FATAL_ERROR "the RUNPATH of ${file} is \"${found}\"; expected \"${runpath}\"")
  endif()
  foreach(what GNU_RELRO "BIND_NOW|Flags:[^\n]*NOW" __stack_chk_fail)
    if(NOT shown MATCHES "${what}")
      message(FATAL_ERROR "${file} has no ${what}; expected a hardened build")
    endif()
  endforeach()
endfunction()

if(FILE)
  expect_hardened(${FILE} "${RUNPATH}")
endif()
