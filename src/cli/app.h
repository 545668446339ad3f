#pragma once

namespace cqlperf::cli {

// The program: reads the command line, runs the command, returns the exit code. Called by the name
// cql_stress or cassandra_store_stress it takes that tool's flags.
int run_program(int argc, char** argv);

}  // namespace cqlperf::cli
