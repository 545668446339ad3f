#pragma once

#include "core/buffer.h"
#include "protocol/strings.h"
#include "storage/ordered_bytes.h"

namespace cqlperf::storage {

// Numbers without a fixed size inside keys: self-delimiting, in the order of their values. Equal
// values have equal bytes, as they are one key in CQL: a varint comes back with as few bytes as it
// needs, a decimal without zeros at the end of its fraction (1.50 as 1.5). Each begins with a byte
// above 0, which stands for an empty value.

// `value`: two's complement, big-endian, not empty.
void append_ordered_varint(core::Buffer& out, protocol::ByteView value);
void read_ordered_varint(uint8_t first, KeyReader& in, protocol::Bytes& value);

// `value`: four bytes scale and the unscaled varint, at least five bytes.
void append_ordered_decimal(core::Buffer& out, protocol::ByteView value);
void read_ordered_decimal(uint8_t first, KeyReader& in, protocol::Bytes& value);

}  // namespace cqlperf::storage
