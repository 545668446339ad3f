option(CQLPERF_CHECK_HEADERS "Compile each header of each room alone" OFF)

# cqlperf_room(NAME ROOMS room... [LIBRARIES target...])
#
# Makes the static library room_NAME from src/NAME/*.cc. A room is seen by others only through a
# directory of its own that holds one link to src/NAME, so `#include "other/x.h"` compiles only when
# `other` is among ROOMS, or among what those rooms were built on: any other include fails the
# build.

# Messages of broken invariants name files without the folder that they were built in.
set(CQLPERF_COMPILE_OPTIONS -Wall -Wextra -Wshadow -Wnon-virtual-dtor -fno-omit-frame-pointer
  -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Wrong on std::string::insert and operator+ at -O3 (GCC bug 105651, fixed in 13), and on fmt's
  # formatting of integers.
  list(APPEND CQLPERF_COMPILE_OPTIONS -Wno-restrict -Wno-stringop-overflow)
endif()
if(CQLPERF_WARNINGS_AS_ERRORS)
  list(APPEND CQLPERF_COMPILE_OPTIONS -Werror)
endif()
if(CQLPERF_SANITIZE)
  list(APPEND CQLPERF_COMPILE_OPTIONS -fsanitize=${CQLPERF_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CQLPERF_SANITIZE})
endif()

# What takes the time of a sanitizer build is the tests' own code. It is compiled without
# optimization, and what is checked for undefined behaviour are the rooms.
set(CQLPERF_TEST_COMPILE_OPTIONS "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Wrong where vectors of bytes are the keys of a map, at -O3.
  list(APPEND CQLPERF_TEST_COMPILE_OPTIONS -Wno-stringop-overread)
endif()
if(CQLPERF_SANITIZE)
  list(APPEND CQLPERF_TEST_COMPILE_OPTIONS -O0)
endif()
if(CQLPERF_SANITIZE MATCHES undefined)
  list(APPEND CQLPERF_TEST_COMPILE_OPTIONS -fno-sanitize=undefined)
endif()

function(cqlperf_room name)
  cmake_parse_arguments(arg "" "" "ROOMS;LIBRARIES" ${ARGN})
  set(source_dir ${CMAKE_SOURCE_DIR}/src/${name})
  set(include_root ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${include_root})
  file(CREATE_LINK ${source_dir} ${include_root}/${name} SYMBOLIC)

  file(GLOB sources CONFIGURE_DEPENDS ${source_dir}/*.cc)
  if(sources)
    add_library(room_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_compile_options(room_${name} PRIVATE ${CQLPERF_COMPILE_OPTIONS})
  else()
    add_library(room_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(room_${name} ${scope} ${include_root})
  list(TRANSFORM arg_ROOMS PREPEND room_)
  target_link_libraries(room_${name} ${scope} ${arg_ROOMS} ${arg_LIBRARIES} Threads::Threads)
  if(CQLPERF_CHECK_HEADERS)
    cqlperf_check_headers(${name})
  endif()
endfunction()

# cqlperf_check_headers(NAME)
#
# Compiles each header of room NAME alone, and twice: it must include what it uses and guard itself.
function(cqlperf_check_headers name)
  file(GLOB headers RELATIVE ${CMAKE_SOURCE_DIR}/src CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/src/${name}/*.h)
  set(sources "")
  foreach(header IN LISTS headers)
    set(source ${CMAKE_BINARY_DIR}/headers/${header}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
    list(APPEND sources ${source})
  endforeach()
  if(sources)
    add_library(headers_${name} OBJECT ${sources})
    target_compile_options(headers_${name} PRIVATE -Wall -Wextra -Werror -O0 -g0)
    target_link_libraries(headers_${name} PRIVATE room_${name})
  endif()
endfunction()

# cqlperf_room_test(NAME [LIBRARIES target...])
#
# Makes test_NAME from tests/NAME/*_test.cc with GoogleTest; it may include what room NAME may.
function(cqlperf_room_test name)
  cmake_parse_arguments(arg "" "" "LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_compile_options(test_${name} PRIVATE
    ${CQLPERF_COMPILE_OPTIONS} ${CQLPERF_TEST_COMPILE_OPTIONS})
  target_link_libraries(test_${name} PRIVATE
    room_${name} GTest::gmock GTest::gtest_main ${arg_LIBRARIES})
  target_compile_definitions(test_${name} PRIVATE CQLPERF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  gtest_discover_tests(test_${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 120 LABELS unit)
endfunction()
