# find_package(ASC): the language ASC, whose compiler is ascc, and the toolkit's functions and library
# names. Before project(NAME LANGUAGES ASC …), so that CMake finds the language.
list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/asc")
if(NOT CMAKE_ASC_COMPILER)
  get_filename_component(CMAKE_ASC_COMPILER "${CMAKE_CURRENT_LIST_DIR}/../../../bin/ascc" ABSOLUTE)
endif()
get_property(_softascend_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(_softascend_languages)
  include("${CMAKE_CURRENT_LIST_DIR}/asc/after_project.cmake")
elseif(NOT CMAKE_PROJECT_INCLUDE)
  set(CMAKE_PROJECT_INCLUDE "${CMAKE_CURRENT_LIST_DIR}/asc/after_project.cmake")
endif()
