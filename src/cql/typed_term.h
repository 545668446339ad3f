#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cql/error.h"
#include "cql/statement.h"
#include "protocol/metadata.h"
#include "protocol/query_parameters.h"
#include "protocol/strings.h"

namespace cqlperf::cql {

class ScalarFunction;

// Keeps bytes that an evaluation makes, until it is cleared or destroyed. Views stay valid.
class Arena {
 public:
  protocol::ByteView keep(protocol::Bytes bytes);
  void clear() { kept_.clear(); }

 private:
  std::vector<std::unique_ptr<protocol::Bytes>> kept_;
};

// What one execution gives to the terms of a statement.
struct Evaluation {
  std::span<const protocol::Value> values;  // by marker
  int64_t now_us = 0;                       // microseconds since 1970; one instant per execution
  Arena* arena = nullptr;
};

// The columns that bind markers stand for, collected while a statement is bound.
class MarkerSpecs {
 public:
  explicit MarkerSpecs(const std::vector<Marker>& markers);

  // Says what the marker is bound to. `spec.name` is used when the marker has no name of its own.
  void declare(uint16_t marker, protocol::ColumnSpec spec);
  // One for each marker in order. Names such as `[limit]` are the caller's.
  const std::vector<protocol::ColumnSpec>& specs() const { return specs_; }

 private:
  const std::vector<Marker>& markers_;
  std::vector<protocol::ColumnSpec> specs_;
};

// A term with a type: literals are converted when it is bound, markers and functions when it is
// evaluated. Immutable; threads may share it.
class TypedTerm {
 public:
  TypedTerm() = default;  // null

  // `receiver` names the column (for errors and markers) and its type. Errors are 0x2200 with
  // Cassandra's meaning: a literal or function that does not give the type, a string that cannot be
  // read, columns and collections where none is taken.
  static Result<TypedTerm> bind(const Term& term, const protocol::ColumnSpec& receiver,
                                MarkerSpecs& markers);
  // Null.
  static TypedTerm null() { return {}; }
  // Bytes that are valid for the type of whoever evaluates it.
  static TypedTerm constant(protocol::Bytes bytes);

  bool is_marker() const { return kind_ == Kind::kMarker; }
  uint16_t marker() const { return marker_; }
  bool is_constant() const { return kind_ == Kind::kConstant; }

  // The value of this execution: bytes (valid for the type; they view the constant, the bound value
  // or the arena), null or unset. Bound bytes that the type does not allow are 0x2200.
  Result<protocol::Value> evaluate(const Evaluation& evaluation) const;

 private:
  enum class Kind : uint8_t { kConstant, kMarker, kFunction };

  static Result<TypedTerm> bind_function(const Term& term, const protocol::ColumnSpec& receiver,
                                         MarkerSpecs& markers);
  Result<protocol::Value> evaluate_marker(const Evaluation& evaluation) const;
  Result<protocol::Value> evaluate_function(const Evaluation& evaluation) const;

  Kind kind_ = Kind::kConstant;
  uint16_t marker_ = 0;
  protocol::ColumnType type_ = {};
  std::string receiver_ = {};
  std::optional<protocol::Bytes> constant_ = {};  // std::nullopt: null
  const ScalarFunction* function_ = nullptr;
  std::vector<TypedTerm> arguments_ = {};
};

}  // namespace cqlperf::cql
