# Whether ascc is there; what it compiles with, it says itself when it is not.
if(NOT CMAKE_ASC_COMPILER)
  message(FATAL_ERROR "There is no ascc for the language ASC; source set_env.sh, or set CMAKE_ASC_COMPILER")
endif()
set(CMAKE_ASC_COMPILER_WORKS TRUE CACHE INTERNAL "")
