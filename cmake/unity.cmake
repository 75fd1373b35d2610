# Most of the time of a build goes into Eigen's headers and templates, which every translation unit reads and
# instantiates anew: PENDEC_UNITY joins sources into few units.

# pendec_join(TARGET KILOBYTES): joins sources that follow each other in the order of their paths, in units of equal
# length, about so much text each.
function(pendec_join target kilobytes)
  if(NOT PENDEC_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  set(total 0)
  foreach(source ${sources})
    file(SIZE ${source} size)
    math(EXPR total "${total} + ${size}")
  endforeach()
  math(EXPR units "${total} / (1024 * ${kilobytes}) + 1")
  set(before 0)
  foreach(source ${sources})
    file(SIZE ${source} size)
    math(EXPR unit "(${before} + ${size} / 2) * ${units} / ${total}")  # the one that holds the middle of the file
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
    math(EXPR before "${before} + ${size}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
