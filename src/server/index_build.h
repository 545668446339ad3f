#pragma once

#include <functional>

#include "core/result.h"
#include "server/schema.h"
#include "storage/engine.h"

namespace cqlperf::server {

// Adds to an index an entry for each row that its table has, in bounded batches. Writers may go on
// meanwhile, if they keep the index in step already: entries of both merge. May be repeated after
// it was broken off. Entries of rows that are deleted do no harm, since readers compare.
// kInterrupted once `must_stop` gives true, which is asked now and then.
core::Status build_index(storage::Engine& engine, const Table& table, const Index& index,
                         const std::function<bool()>& must_stop);

}  // namespace cqlperf::server
