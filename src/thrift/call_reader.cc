#include "thrift/call_reader.h"

#include <exception>
#include <utility>

#include "thrift/mutation_reader.h"
#include "thrift/schema_wire.h"
#include "thrift/wire.h"

namespace cqlperf::thrift {
namespace {

constexpr size_t kTextMin = 4;  // bytes on the wire
constexpr size_t kKeptElements = 4096;

// A consistency that is none counts as not given, as in Cassandra.
void check_consistency(const CallMessage& message, const RequiredFields& required, int16_t id,
                       std::string_view name) {
  required.check(id, name);
  const bool is_known =
      message.consistency >= Consistency::kOne && message.consistency <= Consistency::kLocalOne;
  if (!is_known) throw_missing(name);
}

void read_login(ReadProtocol& in, CallMessage& message) {
  in.fields([&](int16_t id, tp::TType type) {
    if (id != 1 || type != tp::T_STRUCT) return false;
    in.fields([&](int16_t field, tp::TType field_type) {
      if (field != 1 || field_type != tp::T_MAP) return false;
      for (uint32_t left = in.map(tp::T_STRING, tp::T_STRING, 2 * kTextMin); left > 0; --left) {
        const std::string_view name = in.text();
        const std::string_view value = in.text();
        if (name == "username") message.user = value;
        if (name == "password") message.password = value;
      }
      return true;
    });
    return true;
  });
}

void read_name(ReadProtocol& in, std::string_view name, CallMessage& message) {
  RequiredFields required;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (id != 1 || type != tp::T_STRING) return false;
    message.text = in.text();
    return true;
  });
  required.check(1, name);
}

// execute_cql_query, execute_cql3_query, prepare_cql_query and prepare_cql3_query.
void read_query(ReadProtocol& in, CallMessage& message) {
  RequiredFields required;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (id == 1 && type == tp::T_STRING) return message.query = in.view(), true;
    if (type != tp::T_I32) return false;
    const int32_t value = in.i32();
    if (id == 2) message.compression = static_cast<Compression>(value);
    if (id == 3) message.consistency = static_cast<Consistency>(value);
    return true;
  });
  required.check(1, "query");
  required.check(2, "compression");
  if (message.compression != Compression::kGzip && message.compression != Compression::kNone)
    throw_missing("compression");
  if (message.call == Call::kExecuteCql3Query)
    check_consistency(message, required, 3, "consistency");
}

void read_execute(ReadProtocol& in, CallMessage& message) {
  RequiredFields required;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (id == 1 && type == tp::T_I32) return message.item_id = in.i32(), true;
    if (id == 3 && type == tp::T_I32)
      return message.consistency = static_cast<Consistency>(in.i32()), true;
    if (id != 2 || type != tp::T_LIST) return false;
    for (uint32_t left = in.list(tp::T_STRING, kTextMin); left > 0; --left)
      message.values.push_back(in.view());
    return true;
  });
  required.check(1, "itemId");
  required.check(2, "values");
  if (message.call == Call::kExecutePreparedCql3Query)
    check_consistency(message, required, 3, "consistency");
}

void read_get_slice(ReadProtocol& in, CallMessage& message) {
  RequiredFields required;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (id == 1 && type == tp::T_STRING) return message.key = in.view(), true;
    if (id == 2 && type == tp::T_STRUCT) return read_parent(in, message), true;
    if (id == 4 && type == tp::T_I32)
      return message.consistency = static_cast<Consistency>(in.i32()), true;
    if (id != 3 || type != tp::T_STRUCT) return false;
    read_predicate(in, message);
    return true;
  });
  required.check(1, "key");
  required.check(2, "column_parent");
  required.check(3, "predicate");
  check_consistency(message, required, 4, "consistency_level");
}

// insert and add: one mutation.
void read_single(ReadProtocol& in, CallMessage& message) {
  RequiredFields required;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (id == 1 && type == tp::T_STRING) return message.key = in.view(), true;
    if (id == 2 && type == tp::T_STRUCT) return read_parent(in, message), true;
    if (id == 4 && type == tp::T_I32)
      return message.consistency = static_cast<Consistency>(in.i32()), true;
    if (id != 3 || type != tp::T_STRUCT) return false;
    Mutation& mutation = message.mutations.emplace_back();
    message.call == Call::kInsert ? read_column(in, mutation) : read_counter(in, mutation);
    return true;
  });
  required.check(1, "key");
  required.check(2, "column_parent");
  required.check(3, "column");
  check_consistency(message, required, 4, "consistency_level");
  message.rows.push_back(
      {message.key, message.column_family, 0, static_cast<uint32_t>(message.mutations.size())});
}

void read_batch(ReadProtocol& in, CallMessage& message) {
  RequiredFields required;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (id == 1 && type == tp::T_MAP) return read_mutation_map(in, message), true;
    if (id != 2 || type != tp::T_I32) return false;
    message.consistency = static_cast<Consistency>(in.i32());
    return true;
  });
  required.check(1, "mutation_map");
  check_consistency(message, required, 2, "consistency_level");
}

void read_arguments(ReadProtocol& in, CallMessage& message) {
  switch (message.call) {
    case Call::kLogin:
      return read_login(in, message);
    case Call::kSetKeyspace:
    case Call::kDescribeKeyspace:
    case Call::kSystemDropKeyspace:
      return read_name(in, "keyspace", message);
    case Call::kTruncate:
      return read_name(in, "cfname", message);
    case Call::kSystemDropColumnFamily:
      return read_name(in, "column_family", message);
    case Call::kSetCqlVersion:
      return read_name(in, "version", message);
    case Call::kGetSlice:
      return read_get_slice(in, message);
    case Call::kInsert:
    case Call::kAdd:
      return read_single(in, message);
    case Call::kBatchMutate:
      return read_batch(in, message);
    case Call::kDescribeKeyspaces:
    case Call::kDescribeClusterName:
    case Call::kDescribeVersion:
      return in.fields([](int16_t, tp::TType) { return false; });
    case Call::kSystemAddColumnFamily:
      return read_table_call(in, message.table);
    case Call::kSystemAddKeyspace:
      return read_keyspace_call(in, message.keyspace);
    case Call::kExecuteCqlQuery:
    case Call::kExecuteCql3Query:
    case Call::kPrepareCqlQuery:
    case Call::kPrepareCql3Query:
      return read_query(in, message);
    case Call::kExecutePreparedCqlQuery:
    case Call::kExecutePreparedCql3Query:
      return read_execute(in, message);
  }
}

// All but the memory of its vectors.
void reset(CallMessage& message) {
  message.invalid.clear();
  message.user.clear();
  message.password.clear();
  message.text = {};
  message.query = {};
  message.compression = Compression::kNone;
  message.item_id = 0;
  message.values.clear();
  message.consistency = Consistency::kOne;
  message.key = {};
  message.column_family = {};
  message.has_super_column = false;
  message.predicates.clear();
  message.rows.clear();
  message.mutations.clear();
}

}  // namespace

struct CallReader::Impl {
  Received read_message(ByteView bytes);
  Received read_arguments_of(Call call, int32_t seqid);

  Decoder decoder;
  CallMessage message;
};

CallReader::Received CallReader::Impl::read_message(ByteView bytes) {
  tp::TMessageType type = tp::T_REPLY;
  int32_t seqid = 0;
  decoder.transport->attach(bytes);
  decoder.protocol.readMessageBegin(decoder.name, type, seqid);
  if (type != tp::T_CALL)
    throw tp::TProtocolException(tp::TProtocolException::INVALID_DATA, "it is not a call");
  if (const auto call = find_call(decoder.name)) return read_arguments_of(*call, seqid);
  decoder.protocol.skip(tp::T_STRUCT);
  return Refusal{decoder.name, seqid, ApplicationError::kUnknownMethod,
                 "Invalid method name: '" + decoder.name + "'"};
}

// What is wrong in the arguments is answered, since the frame says where the next call is; but one
// that does not hold what it says is no message.
CallReader::Received CallReader::Impl::read_arguments_of(Call call, int32_t seqid) {
  reset(message);
  message.call = call;
  message.seqid = seqid;
  decoder.protocol.set_elements_max(kSchemaElementsMax);
  const bool has_generated =
      call == Call::kSystemAddColumnFamily || call == Call::kSystemAddKeyspace;
  if (!has_generated) decoder.protocol.set_elements_max(std::numeric_limits<size_t>::max());
  try {
    read_arguments(decoder.protocol, message);
    return &message;
  } catch (const tp::TProtocolException& error) {
    return Refusal{decoder.name, seqid, ApplicationError::kProtocolError, error.what()};
  }
}

CallReader::CallReader() : impl_(std::make_unique<Impl>()) {}
CallReader::~CallReader() = default;

core::Result<CallReader::Received> CallReader::read(ByteView message) {
  try {
    return impl_->read_message(message);
  } catch (const std::exception& error) {
    return core::fail(core::ErrorCode::kProtocol,
                      std::string("not a Thrift call: ") + error.what());
  }
}

void CallReader::release() {
  if (impl_->message.mutations.capacity() <= kKeptElements &&
      impl_->message.values.capacity() <= kKeptElements &&
      impl_->message.predicates.capacity() <= kKeptElements)
    return;
  impl_->message = CallMessage();
}

}  // namespace cqlperf::thrift
