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
# lib64/cmake is where a toolkit has it; Debian's CMake looks in share/cmake instead.
foreach(folder lib64 share)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/SoftAscendConfig.cmake
                ${PROJECT_BINARY_DIR}/SoftAscendConfigVersion.cmake
          DESTINATION ${folder}/cmake/SoftAscend)
endforeach()
