# What `cmake --install` installs. Nothing installed holds a path of the machine it was built on: the package may
# be moved as a whole.
include(CMakePackageConfigHelpers)

# From one installed folder to another, whatever the prefix will be.
function(pendec_relative_path result from to)
  file(RELATIVE_PATH path ${from} ${to})
  string(REGEX REPLACE "/$" "" path "${path}")
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

set(pendec_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pendec)

install(TARGETS pendec EXPORT pendecTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pendec ${PROJECT_BINARY_DIR}/include/pendec
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT pendecTargets NAMESPACE pendec:: DESTINATION ${pendec_cmake_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pendecConfig.cmake.in ${PROJECT_BINARY_DIR}/pendecConfig.cmake
                              INSTALL_DESTINATION ${pendec_cmake_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pendecConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pendecConfig.cmake ${PROJECT_BINARY_DIR}/pendecConfigVersion.cmake
        DESTINATION ${pendec_cmake_dir})

# pkg-config. A shared library brings its own dependencies; a static one leaves them to the consumer.
set(pendec_pc_requires "eigen3 >= 3.4")
get_target_property(pendec_pc_cflags pendec INTERFACE_COMPILE_DEFINITIONS)
list(TRANSFORM pendec_pc_cflags PREPEND "-D")
list(JOIN pendec_pc_cflags " " pendec_pc_cflags)
set(pendec_pc_libs "")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND pendec_pc_requires ", fmt")
  if(TARGET PkgConfig::IPOPT)
    string(APPEND pendec_pc_requires ", ipopt")
  endif()
  if(TARGET PkgConfig::CLP)
    string(APPEND pendec_pc_requires ", clp")
  endif()
  set(lapack ${LAPACK_LIBRARIES})
  list(REMOVE_DUPLICATES lapack)
  foreach(library ${lapack})
    if(library MATCHES "^-")
      string(APPEND pendec_pc_libs " ${library}")
    elseif(library MATCHES "lib([^/]+)\\.(a|so)[.0-9]*$")
      string(APPEND pendec_pc_libs " -l${CMAKE_MATCH_1}")
    endif()
  endforeach()
endif()
pendec_relative_path(pendec_pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
pendec_relative_path(pendec_pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
pendec_relative_path(pendec_pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/pendec.pc.in ${PROJECT_BINARY_DIR}/pendec.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/pendec.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(PENDEC_CLI)
  pendec_relative_path(pendec_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(pendec_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${pendec_bin_to_lib}")
  if(pendec_bin_to_lib STREQUAL "../lib")
    # It is the same where it is built. What is to be replaced later, CMake ends with an empty entry: the folder that the
    # program is called in, whose libraries it would take.
    set_target_properties(pendec_cli PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
  endif()
  install(TARGETS pendec_cli)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/pendec.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

foreach(file LICENSE THIRD-PARTY.md SECURITY.md README.md CHANGELOG.md CITATION.cff)
  install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
