#pragma once

#include <cstdint>
#include <optional>

#include "thrift/messages.h"
#include "thrift/wire.h"

namespace cqlperf::thrift {

// The exceptions that a call declares, by their field in its result; std::nullopt for any other
// field. As in cassandra.thrift.
std::optional<Exception::Kind> exception_kind(Call call, int16_t field);
// The field that an exception has in the call's result; std::nullopt when it declares no such.
std::optional<int16_t> exception_field(Call call, Exception::Kind kind);
// False for calls that give nothing (void).
bool gives_something(Call call);

// Each reads the struct that comes next; throws as the library does.
Exception read_exception(ReadProtocol& in, Exception::Kind kind);
Exception read_application_exception(ReadProtocol& in);

}  // namespace cqlperf::thrift
