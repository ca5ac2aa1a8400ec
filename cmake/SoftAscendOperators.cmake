# Operators in Ascend C: op_host (OpDef, tiling) and op_kernel become a library of aclnn functions and
# their headers, built by ascc.
#
#   softascend_add_operator(TARGET PROJECT FOLDER)
#   softascend_add_operator(TARGET HOST SOURCE... KERNEL SOURCE...)
#       [INCLUDE FOLDER...] [DEFINITIONS NAME[=VALUE]...] [OPTIONS OPTION...]
#       [LIBRARY NAME] [OUTPUT FOLDER]
#
# makes FOLDER/op_api/include/aclnn_OP.h and FOLDER/op_api/lib/libNAME.so (default: TARGET's name, in
# the build folder). Who links TARGET finds both.
include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.16...3.25) # whatever the project asks for: dependency files need 3.20's rules

function(softascend_add_operator target)
  cmake_parse_arguments(arg "" "PROJECT;LIBRARY;OUTPUT" "HOST;KERNEL;INCLUDE;DEFINITIONS;OPTIONS"
                        ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "softascend_add_operator(${target}): ${arg_UNPARSED_ARGUMENTS} is not understood")
  endif()
  if(NOT arg_PROJECT AND NOT (arg_HOST AND arg_KERNEL))
    message(FATAL_ERROR "softascend_add_operator(${target}) needs PROJECT folder, or HOST and KERNEL sources")
  endif()
  set(words)
  set(depends)
  if(arg_PROJECT)
    get_filename_component(folder "${arg_PROJECT}" ABSOLUTE)
    file(GLOB sources CONFIGURE_DEPENDS "${folder}/op_host/*.c*" "${folder}/op_kernel/*.c*")
    list(APPEND words "--op-project=${folder}")
    list(APPEND depends ${sources})
  endif()
  foreach(half HOST KERNEL)
    foreach(source ${arg_${half}})
      get_filename_component(file "${source}" ABSOLUTE)
      string(TOLOWER "${half}" option)
      list(APPEND words "--op-${option}=${file}")
      list(APPEND depends "${file}")
    endforeach()
  endforeach()
  foreach(folder ${arg_INCLUDE})
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND words "-I${folder}")
  endforeach()
  foreach(definition ${arg_DEFINITIONS})
    string(REGEX REPLACE "^-D" "" definition "${definition}")
    list(APPEND words "-D${definition}")
  endforeach()
  if(SOC_VERSION)
    list(APPEND words "--soc-version=${SOC_VERSION}")
  endif()
  if(NOT arg_LIBRARY)
    set(arg_LIBRARY "${target}")
  endif()
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${target}")
  endif()
  get_filename_component(output "${arg_OUTPUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  set(library "${output}/op_api/lib/lib${arg_LIBRARY}.so")
  set(depfile)
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.21 OR CMAKE_GENERATOR MATCHES "Ninja")
    set(depfile DEPFILE "${output}/${target}.d")
  endif()
  file(MAKE_DIRECTORY "${output}/op_api/include")
  add_custom_command(OUTPUT "${library}"
    COMMAND "${SOFTASCEND_ASCC}" --compiler "${CMAKE_CXX_COMPILER}" ${words} ${arg_OPTIONS}
            "--op-library=${arg_LIBRARY}" -o "${output}" -MD -MF "${output}/${target}.d"
            -MT "${library}"
    DEPENDS ${depends} "${SOFTASCEND_ASCC}" ${depfile}
    COMMENT "Operators of ${target}" VERBATIM)
  add_custom_target(${target}_operators ALL DEPENDS "${library}")
  add_library(${target} SHARED IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION "${library}" INTERFACE_INCLUDE_DIRECTORIES "${output}/op_api/include")
  target_link_libraries(${target} INTERFACE SoftAscend::nnopbase SoftAscend::ascendcl)
  add_dependencies(${target} ${target}_operators)
endfunction()

# What an op project's own CMakeLists calls, from the toolkit's scripts: said at once, with what to run.
foreach(_softascend_name npu_op_package npu_op_code_gen npu_op_library npu_op_package_add
        npu_op_kernel_options npu_op_kernel_sources npu_op_kernel_library)
  if(NOT COMMAND ${_softascend_name} AND NOT CMAKE_VERSION VERSION_LESS 3.18)
    cmake_language(EVAL CODE "
      function(${_softascend_name})
        softascend_refuse_op_project(${_softascend_name})
      endfunction()")
  endif()
endforeach()
function(softascend_refuse_op_project name)
  message(FATAL_ERROR "${name}: SoftAscend does not read an op project's own CMakeLists. Build it with\n"
    "  ${SOFTASCEND_ASCC} --op-project=${CMAKE_SOURCE_DIR} -o out\n"
    "or from a CMakeLists beside it, with softascend_add_operator(TARGET PROJECT ${CMAKE_SOURCE_DIR}).")
endfunction()

cmake_policy(POP)
