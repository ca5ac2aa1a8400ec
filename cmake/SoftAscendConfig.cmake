# find_package(SoftAscend) for programs that use the libraries. Targets:
#   SoftAscend::ascendcl    AscendCL: devices, streams, memory, launch
#   SoftAscend::opapi       the aclnn operators (brings nnopbase and ascendcl)
#   SoftAscend::softascend  the AI core and the kernel language of softascend/core.h
# Functions: ascendc_library and its companions (SoftAscendKernels.cmake), softascend_add_operator
# (SoftAscendOperators.cmake).
get_filename_component(_softascend_home "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_softascend_needs_softascend "")
set(_softascend_needs_ascendcl softascend)
set(_softascend_needs_nnopbase ascendcl)
set(_softascend_needs_opapi nnopbase)

foreach(_softascend_name softascend ascendcl nnopbase opapi)
  set(_softascend_file "${_softascend_home}/lib64/lib${_softascend_name}.so")
  if(NOT EXISTS "${_softascend_file}")
    set(SoftAscend_FOUND FALSE)
    set(SoftAscend_NOT_FOUND_MESSAGE "${_softascend_file} is missing")
    return()
  endif()
  if(NOT TARGET SoftAscend::${_softascend_name})
    add_library(SoftAscend::${_softascend_name} SHARED IMPORTED)
    set_target_properties(SoftAscend::${_softascend_name} PROPERTIES
      IMPORTED_LOCATION "${_softascend_file}"
      INTERFACE_INCLUDE_DIRECTORIES "${_softascend_home}/include")
    foreach(_softascend_need ${_softascend_needs_${_softascend_name}})
      target_link_libraries(SoftAscend::${_softascend_name}
                            INTERFACE SoftAscend::${_softascend_need})
    endforeach()
  endif()
endforeach()

set(SoftAscend_HOME "${_softascend_home}")
include("${CMAKE_CURRENT_LIST_DIR}/SoftAscendKernels.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/SoftAscendOperators.cmake")
# FindTensorFlow.cmake is beside this file.
if(NOT "${CMAKE_CURRENT_LIST_DIR}" IN_LIST CMAKE_MODULE_PATH)
  list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
endif()
