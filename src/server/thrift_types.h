#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/consistency.h"
#include "protocol/error.h"
#include "protocol/types.h"
#include "thrift/messages.h"

namespace cqlperf::server {

// Thrift's words for what the native protocol says otherwise.

// Cassandra's class of a type, with its package: `org.apache.cassandra.db.marshal.BytesType`. Of
// types that are none of the native ones it is the CQL name.
std::string type_class(const protocol::ColumnType& type);
// The type of such a class, with or without its package; std::nullopt when it is none of the native
// ones.
std::optional<protocol::ColumnType> type_of_class(std::string_view name);

protocol::Consistency native_consistency(thrift::Consistency consistency);

// The exception that carries an error, for a call that declares it; else InvalidRequest, with its
// text.
thrift::Exception to_exception(const protocol::ErrorMessage& error);
thrift::Exception invalid_request(std::string why);

}  // namespace cqlperf::server
