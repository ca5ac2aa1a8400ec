# After project(): the toolkit's functions and library names, which need a language.
if(NOT TARGET SoftAscend::ascendcl)
  include("${CMAKE_CURRENT_LIST_DIR}/../../../../compiler/tikcpp/ascendc_kernel_cmake/ascendc.cmake")
endif()
