set(CQLPERF_PYTHON ${CMAKE_SOURCE_DIR}/build/venv/bin/python CACHE FILEPATH
  "Python with the packages of scripts/requirements.txt; scripts/setup makes this one")

# cqlperf_pytest(NAME FILES path... LABEL label TIMEOUT_S seconds [ENVIRONMENT NAME=TEXT...])
#
# Makes one test of the pytest files in the current folder that are named, or of the folder `.`.
# They run the program of this build.
function(cqlperf_pytest name)
  cmake_parse_arguments(arg "" "LABEL;TIMEOUT_S" "FILES;ENVIRONMENT" ${ARGN})
  add_test(NAME ${name}
    COMMAND ${CQLPERF_PYTHON} -B -m pytest -q -p no:cacheprovider
      --basetemp=${CMAKE_CURRENT_BINARY_DIR}/${name} ${arg_FILES}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT_S}
    ENVIRONMENT "CQLPERF_BIN=$<TARGET_FILE_DIR:cqlperf>;${arg_ENVIRONMENT}")
endfunction()
