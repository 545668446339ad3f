#include "thrift/mutation_reader.h"

#include <fmt/format.h>

namespace cqlperf::thrift {
namespace {

// The smallest that one can be on the wire, in bytes.
constexpr size_t kTextMin = 4;
constexpr size_t kMutationMin = 1;
constexpr size_t kRowMin = 4 + 6;     // a key and an empty map
constexpr size_t kFamilyMin = 4 + 5;  // a name and an empty list

void read_range(ReadProtocol& in, SliceRange& range) {
  RequiredFields required;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (id == 1 && type == tp::T_STRING) return range.start = in.view(), true;
    if (id == 2 && type == tp::T_STRING) return range.finish = in.view(), true;
    if (id == 3 && type == tp::T_BOOL) return in.readBool(range.reversed), true;
    if (id == 4 && type == tp::T_I32) return range.count = in.i32(), true;
    return false;
  });
  required.check(1, "start");
  required.check(2, "finish");
  required.check(3, "reversed");
  required.check(4, "count");
}

}  // namespace

void read_parent(ReadProtocol& in, CallMessage& message) {
  RequiredFields required;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (type != tp::T_STRING) return false;
    if (id == 3) return message.column_family = in.text(), true;
    if (id != 4) return false;
    in.view();
    return message.has_super_column = true;
  });
  required.check(3, "column_family");
}

void read_predicate(ReadProtocol& in, CallMessage& message) {
  Predicate predicate;
  in.fields([&](int16_t id, tp::TType type) {
    if (id == 1 && type == tp::T_LIST) {
      predicate.has_names = true;
      for (uint32_t left = in.list(tp::T_STRING, kTextMin); left > 0; --left)
        predicate.names.push_back(in.view());
      return true;
    }
    if (id != 2 || type != tp::T_STRUCT) return false;
    read_range(in, predicate.range.emplace());
    return true;
  });
  message.predicates.push_back(std::move(predicate));
}

void read_column(ReadProtocol& in, Mutation& mutation) {
  RequiredFields required;
  mutation.kind = Mutation::Kind::kColumn;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (id == 1 && type == tp::T_STRING) return mutation.name = in.view(), true;
    if (id == 2 && type == tp::T_STRING) {
      mutation.value = in.view();
      return mutation.has_value = true;
    }
    if (id == 3 && type == tp::T_I64) {
      mutation.timestamp_us = in.i64();
      return mutation.has_timestamp = true;
    }
    if (id != 4 || type != tp::T_I32) return false;
    mutation.ttl_s = in.i32();
    return mutation.has_ttl = true;
  });
  required.check(1, "name");
}

void read_counter(ReadProtocol& in, Mutation& mutation) {
  RequiredFields required;
  mutation.kind = Mutation::Kind::kCounter;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (id == 1 && type == tp::T_STRING) return mutation.name = in.view(), true;
    if (id == 2 && type == tp::T_I64) return mutation.counter = in.i64(), true;
    return false;
  });
  required.check(1, "name");
  required.check(2, "value");
}

namespace {

void read_deletion(ReadProtocol& in, CallMessage& message, Mutation& mutation) {
  mutation.kind = Mutation::Kind::kDeletion;
  in.fields([&](int16_t id, tp::TType type) {
    if (id == 1 && type == tp::T_I64) {
      mutation.timestamp_us = in.i64();
      return mutation.has_timestamp = true;
    }
    if (id == 2 && type == tp::T_STRING) {
      in.view();
      return message.has_super_column = true;
    }
    if (id != 3 || type != tp::T_STRUCT) return false;
    mutation.predicate = static_cast<uint32_t>(message.predicates.size());
    read_predicate(in, message);
    return mutation.has_predicate = true;
  });
}

// ColumnOrSuperColumn; true when it holds a column or a counter.
bool read_written(ReadProtocol& in, CallMessage& message, Mutation& mutation) {
  bool is_known = false;
  in.fields([&](int16_t id, tp::TType type) {
    if (type != tp::T_STRUCT) return false;
    if (id == 2 || id == 4) message.has_super_column = true;
    if (id != 1 && id != 3) return false;
    id == 1 ? read_column(in, mutation) : read_counter(in, mutation);
    return is_known = true;
  });
  return is_known;
}

void read_mutation(ReadProtocol& in, CallMessage& message) {
  Mutation mutation;
  bool has_written = false;
  bool has_deletion = false;
  bool is_known = true;
  in.fields([&](int16_t id, tp::TType type) {
    if (type != tp::T_STRUCT) return false;
    if (id == 1) {
      is_known = read_written(in, message, mutation);
      return has_written = true;
    }
    if (id != 2) return false;
    read_deletion(in, message, mutation);
    return has_deletion = true;
  });
  if (has_written == has_deletion) {
    message.invalid = "mutation must have one and only one of column_or_supercolumn or deletion";
  } else if (!is_known) {
    message.invalid =
        "ColumnOrSuperColumn must have one (and only one) of column, super_column, counter and "
        "counter_super_column";
  } else {
    message.mutations.push_back(mutation);
  }
}

void read_family(ReadProtocol& in, ByteView key, CallMessage& message) {
  RowMutations row{key, in.text(), static_cast<uint32_t>(message.mutations.size()), 0};
  const uint32_t count = in.list(tp::T_STRUCT, kMutationMin);
  if (message.mutations.size() + count > CallReader::kMutationsMax)
    throw tp::TProtocolException(
        tp::TProtocolException::SIZE_LIMIT,
        fmt::format("more than {} mutations in one call: split it", CallReader::kMutationsMax));
  for (uint32_t left = count; left > 0; --left) read_mutation(in, message);
  row.count = static_cast<uint32_t>(message.mutations.size()) - row.first;
  message.rows.push_back(row);
}

}  // namespace

void read_mutation_map(ReadProtocol& in, CallMessage& message) {
  for (uint32_t rows = in.map(tp::T_STRING, tp::T_MAP, kRowMin); rows > 0; --rows) {
    const ByteView key = in.view();
    for (uint32_t left = in.map(tp::T_STRING, tp::T_LIST, kFamilyMin); left > 0; --left)
      read_family(in, key, message);
  }
}

}  // namespace cqlperf::thrift
