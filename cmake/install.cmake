# What is installed beside the libraries and programs, which their own parts install. The tree is a
# CANN toolkit's: PREFIX/{include,lib64,bin,set_env.sh}. A Python wheel is the same tree inside the
# package; the plug-in goes where TensorFlow looks for plug-ins (src/tensorflow).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION include FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/chips DESTINATION share/softascend
        FILES_MATCHING PATTERN "*.ini")
install(FILES ${PROJECT_SOURCE_DIR}/cmake/set_env.sh DESTINATION .)

include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SoftAscendConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
# Where a toolkit has its CMake files; Debian's CMake looks for packages in share/cmake instead of
# lib64/cmake. The build tree has them too.
function(softascend_cmake_files folder)
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME)
    configure_file(${file} ${PROJECT_BINARY_DIR}/${folder}/${name} COPYONLY)
    install(FILES ${file} DESTINATION ${folder})
  endforeach()
endfunction()
set(here ${PROJECT_SOURCE_DIR}/cmake)
configure_file(${PROJECT_BINARY_DIR}/SoftAscendConfigVersion.cmake
               ${PROJECT_BINARY_DIR}/CANNConfigVersion.cmake COPYONLY)
configure_file(${PROJECT_BINARY_DIR}/SoftAscendConfigVersion.cmake
               ${PROJECT_BINARY_DIR}/ASCConfigVersion.cmake COPYONLY)
foreach(folder lib64 share)
  softascend_cmake_files(${folder}/cmake/SoftAscend
    ${here}/SoftAscendConfig.cmake ${here}/SoftAscendKernels.cmake ${here}/SoftAscendOperators.cmake ${here}/FindTensorFlow.cmake
    ${PROJECT_BINARY_DIR}/SoftAscendConfigVersion.cmake)
  softascend_cmake_files(${folder}/cmake/CANN
    ${here}/CANNConfig.cmake ${PROJECT_BINARY_DIR}/CANNConfigVersion.cmake)
  softascend_cmake_files(${folder}/cmake/ASC
    ${here}/ASCConfig.cmake ${PROJECT_BINARY_DIR}/ASCConfigVersion.cmake)
  softascend_cmake_files(${folder}/cmake/ASC/asc
    ${here}/asc/CMakeDetermineASCCompiler.cmake ${here}/asc/CMakeASCCompiler.cmake.in
    ${here}/asc/CMakeTestASCCompiler.cmake ${here}/asc/CMakeASCInformation.cmake
    ${here}/asc/after_project.cmake)
endforeach()
foreach(folder compiler tools)
  softascend_cmake_files(${folder}/tikcpp/ascendc_kernel_cmake ${here}/ascendc.cmake)
endforeach()
