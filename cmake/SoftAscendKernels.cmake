# Kernel libraries in Ascend C: the functions that projects for the toolkit call, with its names and
# parameters. A library's sources are compiled by ascc around the project's C++ compiler; who links
# it also finds aclrtlaunch_KERNEL.h.
#
#   ascendc_library(TARGET STATIC|SHARED|OBJECT SOURCE...)
#   ascendc_include_directories(TARGET PRIVATE|PUBLIC|INTERFACE FOLDER...)
#   ascendc_compile_definitions(TARGET PRIVATE|PUBLIC|INTERFACE NAME[=VALUE]...)
#   ascendc_compile_options(TARGET PRIVATE|PUBLIC|INTERFACE OPTION...)
include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.16...3.25) # whatever the project asks for: dependency files need 3.20's rules

set(SOFTASCEND_ASCC "${SoftAscend_HOME}/bin/ascc" CACHE FILEPATH "The Ascend C compiler driver")

function(ascendc_library target kind)
  if(NOT kind MATCHES "^(STATIC|SHARED|OBJECT)$")
    message(FATAL_ERROR "ascendc_library(${target} ${kind} ...): the kind is STATIC, SHARED or OBJECT")
  endif()
  if(NOT ARGN)
    message(FATAL_ERROR "ascendc_library(${target} ${kind}) has no source file")
  endif()
  add_library(${target} ${kind} ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
  set(soc)
  if(SOC_VERSION)
    set(soc "--soc-version=${SOC_VERSION}")
  endif()
  set_target_properties(${target} PROPERTIES
    CXX_COMPILER_LAUNCHER "${SOFTASCEND_ASCC};${soc};--compiler" POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_link_libraries(${target} PUBLIC SoftAscend::ascendcl)

  # Before anything that links the library is compiled.
  set(headers "${CMAKE_BINARY_DIR}/include/${target}")
  file(MAKE_DIRECTORY "${headers}")
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${headers}>")
  if(NOT CMAKE_BINARY_DIR STREQUAL CMAKE_CURRENT_BINARY_DIR)
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/include")
    file(CREATE_LINK "${headers}" "${CMAKE_CURRENT_BINARY_DIR}/include/${target}" SYMBOLIC)
  endif()
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(stamps)
  foreach(source ${ARGN})
    get_filename_component(file "${source}" ABSOLUTE)
    string(MD5 name "${file}")
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/launch-${name}")
    set(depfile)
    if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.20)
      set(depfile DEPFILE "${stamp}.d")
    endif()
    add_custom_command(OUTPUT "${stamp}"
      COMMAND "${SOFTASCEND_ASCC}" ${soc} --compiler "${CMAKE_CXX_COMPILER}" --headers-only
              "--launch-headers=${headers}" "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
              "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>"
              -MD -MF "${stamp}.d" -MT "${stamp}" -x c++ -c "${file}"
      COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
      DEPENDS "${file}" "${SOFTASCEND_ASCC}" ${depfile}
      COMMENT "Launch headers of ${source}"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND stamps "${stamp}")
  endforeach()
  add_custom_target(${target}_launch_headers DEPENDS ${stamps})
  add_dependencies(${target} ${target}_launch_headers)
endfunction()

function(ascendc_include_directories target)
  target_include_directories(${target} ${ARGN})
endfunction()

function(ascendc_compile_definitions target)
  target_compile_definitions(${target} ${ARGN})
endfunction()

function(ascendc_compile_options target)
  target_compile_options(${target} ${ARGN})
endfunction()

function(ascendc_fatbin_library target)
  message(FATAL_ERROR "ascendc_fatbin_library(${target} ...) makes a binary for the card; "
                      "here kernels are libraries of the host: use ascendc_library")
endfunction()

cmake_policy(POP)
