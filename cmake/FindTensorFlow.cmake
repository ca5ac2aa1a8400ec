# find_package(TensorFlow): TensorFlow as a Python has it, for libraries of custom ops. Targets:
#   TensorFlow::framework   headers, flags and the library that ops link
# Set Python3_EXECUTABLE to choose the Python. Also set: TensorFlow_VERSION, TensorFlow_FOLDER.
# It asks what tf.sysconfig would say, without importing TensorFlow, which takes seconds.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_Interpreter_FOUND)
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" -c
            "import importlib.util as u, importlib.metadata as m, os; \
print(os.path.dirname(u.find_spec('tensorflow').origin), \
m.version(m.packages_distributions()['tensorflow'][0]), sep=';')"
    OUTPUT_VARIABLE _tensorflow OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  list(LENGTH _tensorflow _tensorflow_found)
  if(_tensorflow_found EQUAL 2)
    list(GET _tensorflow 0 TensorFlow_FOLDER)
    list(GET _tensorflow 1 TensorFlow_VERSION)
    file(GLOB TensorFlow_LIBRARY "${TensorFlow_FOLDER}/libtensorflow_framework.so.?")
    set(TensorFlow_INCLUDE_DIR "${TensorFlow_FOLDER}/include")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TensorFlow
  REQUIRED_VARS TensorFlow_LIBRARY TensorFlow_INCLUDE_DIR
  VERSION_VAR TensorFlow_VERSION
  REASON_FAILURE_MESSAGE
    "TensorFlow is not installed for ${Python3_EXECUTABLE}: name a Python that has it with -DPython3_EXECUTABLE=...")

if(TensorFlow_FOUND AND NOT TARGET TensorFlow::framework)
  add_library(TensorFlow::framework SHARED IMPORTED)
  set_target_properties(TensorFlow::framework PROPERTIES
    IMPORTED_LOCATION "${TensorFlow_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${TensorFlow_INCLUDE_DIR}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${TensorFlow_INCLUDE_DIR}"
    INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_COMPILE_DEFINITIONS "_GLIBCXX_USE_CXX11_ABI=1;EIGEN_MAX_ALIGN_BYTES=64")
endif()
