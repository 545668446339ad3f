#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "cql/error.h"
#include "cql/typed_term.h"
#include "server/condition_locks.h"
#include "server/conditional_write.h"
#include "server/request.h"
#include "server/staged_updates.h"
#include "server/write_encoder.h"
#include "server/write_turn.h"
#include "server/writer.h"
#include "storage/engine.h"

namespace cqlperf::server {

// The inside of Writer.
struct Writer::Impl {
  Impl(storage::Engine& the_engine, ConditionLocks& the_locks)
      : engine(the_engine),
        locks(the_locks),
        encoder(the_engine.keeps_nothing()),
        turn(the_engine) {}

  // Stages one execution. Nothing of it is written after an error.
  cql::Status stage(const WritePlan& plan, std::span<const protocol::Value> values,
                    const Arguments& arguments);
  // The timestamp of one execution.
  cql::Result<int64_t> timestamp_us(const WritePlan& plan, const cql::Evaluation& evaluation,
                                    const Arguments& arguments);
  // What is staged goes to the turn, and the request is answered with it.
  void finish(WriteType type, const Arguments& arguments, const ReplyTo& to);
  void refuse(const ReplyTo& to, const protocol::ErrorMessage& error);
  void forget_request();

  // Statements of which one or more have a condition; none has a JSON row any more.
  void execute_conditional(std::span<const BatchItem> items, const Arguments& arguments,
                           const ReplyTo& to);
  // The partition that all of them write to, and its rows that they ask for.
  cql::Result<ConditionalRows> conditional_rows(std::span<const BatchItem> items,
                                                const Arguments& arguments);
  // Writes all when the rows are as was asked. The partition's lock is held.
  cql::Status write_if_met(std::span<const BatchItem> items, Arguments arguments,
                           ConditionalRows& rows);
  // A plan with its values in place of one with a JSON row; the plan itself when it has none.
  cql::Result<const WritePlan*> resolve_json(const WritePlan& plan,
                                             std::span<const protocol::Value> values,
                                             const Arguments& arguments);

  cql::Evaluation evaluation_of(std::span<const protocol::Value> values,
                                const Arguments& arguments) {
    return {values, arguments.now_us, &arena};
  }

  storage::Engine& engine;
  ConditionLocks& locks;
  WriteEncoder encoder;
  StagedUpdates staged;
  WriteTurn turn;
  cql::Arena arena;
  std::deque<WritePlan> json_plans;  // of the request at hand
};

}  // namespace cqlperf::server
