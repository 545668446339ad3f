#include <array>
#include <string_view>

#include "fuzz_input.h"
#include "thrift/call_reader.h"
#include "thrift/frame.h"
#include "thrift/inflate.h"
#include "thrift/reply_reader.h"

// Thrift's messages, in both directions: what is read must lie inside what came.
namespace {

using namespace cqlperf::thrift;

volatile uint8_t sink;

// Reads every byte of a view, so that one outside of the message is found.
void touch(ByteView bytes) {
  uint8_t sum = 0;
  for (const uint8_t byte : bytes) sum = static_cast<uint8_t>(sum + byte);
  sink = sum;
}
void touch(std::string_view text) {
  touch(ByteView(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

void touch(const CallMessage& message) {
  touch(message.text);
  touch(message.query);
  touch(message.key);
  touch(message.column_family);
  for (const ByteView value : message.values) touch(value);
  for (const Predicate& predicate : message.predicates)
    for (const ByteView name : predicate.names) touch(name);
  for (const RowMutations& row : message.rows) {
    touch(row.key);
    touch(row.column_family);
    CQLPERF_CHECK(row.first + size_t{row.count} <= message.mutations.size(),
                  "a row has mutations that are not there");
  }
  for (const Mutation& mutation : message.mutations) {
    touch(mutation.name);
    touch(mutation.value);
    CQLPERF_CHECK(!mutation.has_predicate || mutation.predicate < message.predicates.size(),
                  "a deletion has a predicate that is not there");
  }
}

void read_call(ByteView bytes) {
  static CallReader reader;
  const auto received = reader.read(bytes);
  if (received)
    if (const auto* message = std::get_if<const CallMessage*>(&*received)) touch(**message);
  reader.release();
}

void read_reply(Call call, ByteView bytes) {
  static ReplyReader reader;
  if (!reader.read(call, bytes)) return;
  touch(reader.text());
  touch(to_string(reader.exception()));
  for (const Cell& cell : reader.cells()) {
    touch(cell.name);
    touch(cell.value);
  }
  for (size_t i = 0; i < reader.row_count(); ++i)
    for (const CqlCell& cell : reader.row(i)) {
      touch(cell.name);
      touch(cell.value);
    }
  for (const std::string_view name : reader.prepared().variable_names) touch(name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cqlperf::fuzz::FuzzInput input(data, size);
  const size_t kind = input.take_below(kCallCount + 2);
  const ByteView bytes = input.take_rest();
  if (kind < kCallCount) {
    read_reply(static_cast<Call>(kind), bytes);
  } else if (kind == kCallCount) {
    if (const auto frame = next_frame(bytes); frame && *frame) touch(**frame);
    (void)inflate(bytes, 100'000);
  } else {
    read_call(bytes);
  }
  return 0;
}
