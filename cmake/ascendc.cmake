# What a project for the toolkit includes from ${ASCENDC_CMAKE_DIR}: its functions, and the libraries
# that it links by their plain names.
get_filename_component(_softascend_home "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_package(SoftAscend REQUIRED NO_DEFAULT_PATH PATHS "${_softascend_home}/share/cmake/SoftAscend"
             "${_softascend_home}/lib64/cmake/SoftAscend")

# Interfaces of the toolkit that hold nothing a kernel launch here needs beside AscendCL.
foreach(_softascend_name host_intf_pub ascendcl nnopbase opapi tiling_api register platform
        ascendalog unified_dlog c_sec runtime)
  if(NOT TARGET ${_softascend_name})
    add_library(${_softascend_name} INTERFACE IMPORTED GLOBAL)
    if(TARGET SoftAscend::${_softascend_name})
      target_link_libraries(${_softascend_name} INTERFACE SoftAscend::${_softascend_name})
    else()
      target_link_libraries(${_softascend_name} INTERFACE SoftAscend::ascendcl)
    endif()
  endif()
endforeach()
