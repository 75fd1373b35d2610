# The test "install", see CMakeLists.txt: install, move, then consume by find_package and by pkg-config.
function(run)
  list(JOIN ARGN " " line)
  message(STATUS "${line}")
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${output}\n${line}\nfailed: ${result}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "expected \"${text}\" in:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# Installed in one place, used in another.
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --config ${CONFIG})
file(RENAME ${WORK}/first ${WORK}/prefix)
set(prefix ${WORK}/prefix)

foreach(file bin/pendec include/pendec/export.hpp include/pendec/version.hpp include/pendec/core/set.hpp
             ${LIBDIR}/cmake/pendec/pendecConfigVersion.cmake ${LIBDIR}/pkgconfig/pendec.pc share/doc/pendec/LICENSE
             share/doc/pendec/THIRD-PARTY.md share/doc/pendec/SECURITY.md)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()

# No text file may name a folder of this build.
file(GLOB_RECURSE texts ${prefix}/include/* ${prefix}/${LIBDIR}/cmake/* ${prefix}/${LIBDIR}/pkgconfig/*)
foreach(text ${texts})
  file(READ ${text} content)
  foreach(folder ${BUILD} ${WORK})
    string(FIND "${content}" ${folder} at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${text} names ${folder}")
    endif()
  endforeach()
endforeach()

# Nor may what is compiled, and it is hardened.
if(READELF AND NOT SANITIZE)
  include(${CMAKE_CURRENT_LIST_DIR}/hardened.cmake)
  expect_hardened(${prefix}/bin/pendec "$ORIGIN/../${LIBDIR}")
  if(EXISTS ${prefix}/${LIBDIR}/libpendec.so)
    expect_hardened(${prefix}/${LIBDIR}/libpendec.so "")
  endif()
else()
  message(STATUS "the program and the library were not looked at: no readelf, or a sanitizer")
endif()

# The program finds its library beside it.
run(${prefix}/bin/pendec --help)

# find_package: a consumer for any processor of this kind, and one for this very processor.
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK}/consumer
    -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_FLAGS=${SANITIZE}
    -D CMAKE_PREFIX_PATH=${prefix} -D EXPECTED_VERSION=${VERSION})
run(${CMAKE_COMMAND} --build ${WORK}/consumer --config Release)
foreach(consumer consumer consumer_native)
  run(${WORK}/consumer/bin/${consumer})
  expect("pendec ${VERSION}: ok")
endforeach()

# pkg-config and a plain command line.
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  run(${PKG_CONFIG} --cflags --libs pendec)
  expect("-DEIGEN_MAX_ALIGN_BYTES=64")
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(${CXX} -std=c++20 -O2 ${SANITIZE} ${CMAKE_CURRENT_LIST_DIR}/consumer/main.cpp -o ${WORK}/by_pkg_config
      ${flags} -Wl,-rpath,${prefix}/${LIBDIR})
  run(${WORK}/by_pkg_config)
  expect("pendec ${VERSION}: ok")
else()
  message(STATUS "pkg-config is not installed: that way was not tried")
endif()
