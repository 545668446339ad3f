# cqlperf_thrift_idl(NAME FILE)
#
# Makes the static library NAME from what the Thrift compiler makes of an interface file with one
# service, `Cassandra`. The code is not ours: it is compiled without our warnings, and only targets
# that link NAME see its headers.
find_program(CQLPERF_THRIFT_COMPILER thrift REQUIRED)

function(cqlperf_thrift_idl name file)
  set(source ${CMAKE_SOURCE_DIR}/${file})
  cmake_path(GET source STEM stem)
  set(made ${CMAKE_BINARY_DIR}/${name})
  file(MAKE_DIRECTORY ${made})
  set(sources ${made}/Cassandra.cpp ${made}/${stem}_types.cpp)
  set(headers ${made}/Cassandra.h ${made}/${stem}_types.h)
  add_custom_command(OUTPUT ${sources} ${headers}
    COMMAND ${CQLPERF_THRIFT_COMPILER} --gen cpp:no_skeleton
      -out ${made} ${source}
    DEPENDS ${source} COMMENT "Thrift: ${file}" VERBATIM)
  add_library(${name} STATIC ${sources} ${headers})
  target_compile_options(${name} PRIVATE -w -fno-omit-frame-pointer
    -fmacro-prefix-map=${CMAKE_BINARY_DIR}/=)
  if(CQLPERF_SANITIZE)
    target_compile_options(${name} PRIVATE
      -fsanitize=${CQLPERF_SANITIZE} -fno-sanitize-recover=all -fno-sanitize=enum)
  endif()
  target_include_directories(${name} SYSTEM PUBLIC ${made})
  target_link_libraries(${name} PUBLIC PkgConfig::THRIFT)
endfunction()
