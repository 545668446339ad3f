#include "cli/app.h"

int main(int argc, char** argv) { return cqlperf::cli::run_program(argc, argv); }
