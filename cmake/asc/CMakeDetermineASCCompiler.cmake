# The compiler of the language ASC (.asc sources): ascc, of the tree that this file is in.
if(NOT CMAKE_ASC_COMPILER)
  find_program(CMAKE_ASC_COMPILER ascc HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin"
               "$ENV{ASCEND_HOME_PATH}/bin" NO_DEFAULT_PATH)
  find_program(CMAKE_ASC_COMPILER ascc)
endif()
mark_as_advanced(CMAKE_ASC_COMPILER)
set(CMAKE_ASC_COMPILER_ENV_VAR "ASCC")
set(CMAKE_ASC_COMPILER_ID "SoftAscend")
set(_CMAKE_PROCESSING_LANGUAGE "ASC")
include(CMakeFindBinUtils)
unset(_CMAKE_PROCESSING_LANGUAGE)
configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in"
               "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
