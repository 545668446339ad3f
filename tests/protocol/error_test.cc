#include "protocol/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.h"

namespace cqlperf::protocol {
namespace {

Bytes encode(const ErrorMessage& error, Version version = Version::kV4) {
  core::Buffer out;
  error.encode_body(version, out);
  return to_bytes(out.bytes());
}

ErrorMessage recode(const ErrorMessage& error, Version version = Version::kV4) {
  return *ErrorMessage::decode_body(version, encode(error, version));
}

TEST(Error, SaysWhatItSaid) {
  const auto expect_same = [](const char* name, const ErrorMessage& error) {
    EXPECT_EQ(recode(error), error) << name;
  };
  samples::visit_errors(Version::kV4, expect_same);
  samples::visit_uncommon_errors(expect_same);
}

TEST(Error, NamesEveryCode) {
  EXPECT_EQ(error_name(0x1100), "WriteTimeout");
  EXPECT_EQ(error_name(0x1001), "Overloaded");
  EXPECT_EQ(error_name(0x2500), "Unprepared");
  EXPECT_EQ(error_name(0xF000), "RateLimitReached");
  EXPECT_EQ(error_name(0x1234), "UnknownError");
  samples::visit_errors(Version::kV4, [](const char* name, const ErrorMessage& error) {
    EXPECT_NE(error_name(error.code), "UnknownError") << name;
  });
}

TEST(Error, DescribesItsDetails) {
  const auto describe = [](ErrorCode code, ErrorDetails details) {
    return ErrorMessage{static_cast<int32_t>(code), "text", std::move(details)}.describe();
  };
  const Consistency one = Consistency::kOne;
  EXPECT_EQ(describe(ErrorCode::kWriteTimeout, WriteTimeoutDetails{one, 0, 1, "SIMPLE"}),
            "WriteTimeout: text (consistency ONE, received 0 of 1, SIMPLE)");
  EXPECT_EQ(describe(ErrorCode::kReadTimeout, ReadTimeoutDetails{one, 1, 2, false}),
            "ReadTimeout: text (consistency ONE, received 1 of 2, no data)");
  EXPECT_EQ(describe(ErrorCode::kUnavailable, UnavailableDetails{Consistency::kQuorum, 2, 1}),
            "Unavailable: text (consistency QUORUM, 2 required, 1 alive)");
  EXPECT_EQ(describe(ErrorCode::kReadFailure, ReadFailureDetails{one, 0, 1, 1, true}),
            "ReadFailure: text (consistency ONE, received 0 of 1, 1 failed, data present)");
  EXPECT_EQ(describe(ErrorCode::kWriteFailure, WriteFailureDetails{one, 0, 1, 1, "CDC"}),
            "WriteFailure: text (consistency ONE, received 0 of 1, 1 failed, CDC)");
  EXPECT_EQ(
      describe(ErrorCode::kFunctionFailure, FunctionFailureDetails{"k", "f", {"int", "text"}}),
      "FunctionFailure: text (function k.f(int, text))");
  EXPECT_EQ(describe(ErrorCode::kAlreadyExists, AlreadyExistsDetails{"k", ""}),
            "AlreadyExists: text (keyspace k)");
  EXPECT_EQ(describe(ErrorCode::kAlreadyExists, AlreadyExistsDetails{"k", "t"}),
            "AlreadyExists: text (table k.t)");
  EXPECT_EQ(describe(ErrorCode::kUnprepared, UnpreparedDetails{{0x0a, 0xff}}),
            "Unprepared: text (id 0aff)");
  EXPECT_EQ(describe(ErrorCode::kRateLimitReached, RateLimitDetails{true, false}),
            "RateLimitReached: text (write refused by a replica)");
  EXPECT_EQ(describe(ErrorCode::kSyntaxError, {}), "SyntaxError: text");
}

TEST(Error, KeepsUnknownCodes) {
  const ErrorMessage error{0x7777, "new", UnknownErrorDetails{{1, 2}}};
  EXPECT_EQ(recode(error), error);
  EXPECT_EQ(error.describe(), "UnknownError 0x7777: new");
  const ErrorMessage negative{-1, "odd", UnknownErrorDetails{}};
  EXPECT_EQ(recode(negative), negative);
}

TEST(Error, IgnoresWhatAServerAdds) {
  const ErrorMessage error{0x1100, "m", WriteTimeoutDetails{Consistency::kSerial, 0, 1, "CAS"}};
  Bytes body = encode(error);
  body.insert(body.end(), {0, 3});  // the contentions that newer servers add
  EXPECT_EQ(*ErrorMessage::decode_body(Version::kV4, body), error);
}

TEST(Error, IsOlderBelowVersion4) {
  const ErrorMessage read{0x1300, "m", ReadFailureDetails{Consistency::kOne, 1, 2, 3, true}};
  EXPECT_EQ(recode(read, Version::kV3),
            (ErrorMessage{0x1200, "m", ReadTimeoutDetails{Consistency::kOne, 1, 2, true}}));
  const ErrorMessage write{0x1500, "m", WriteFailureDetails{Consistency::kOne, 1, 2, 3, "CAS"}};
  EXPECT_EQ(recode(write, Version::kV3),
            (ErrorMessage{0x1100, "m", WriteTimeoutDetails{Consistency::kOne, 1, 2, "CAS"}}));
  const ErrorMessage function{0x1400, "m", FunctionFailureDetails{"k", "f", {}}};
  EXPECT_EQ(recode(function, Version::kV3), ErrorMessage::of(ErrorCode::kInvalid, "m"));
  EXPECT_EQ(recode(ErrorMessage::of(ErrorCode::kCdcWriteFailure, "m"), Version::kV3),
            ErrorMessage::of(ErrorCode::kInvalid, "m"));
}

TEST(Error, CutsMessagesThatAreTooLong) {
  const auto error = ErrorMessage::of(ErrorCode::kServerError, std::string(70'000, 'x'));
  EXPECT_EQ(recode(error).message.size(), kShortMax);
}

TEST(Error, HeadIsReadInPlace) {
  const ErrorMessage error{0x1100, "text", WriteTimeoutDetails{Consistency::kOne, 0, 1, "SIMPLE"}};
  const Bytes body = encode(error);
  const auto head = peek_error(body);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->code, 0x1100);
  EXPECT_EQ(head->message, "text");
  EXPECT_FALSE(peek_error(ByteView(body).first(9)));
}

}  // namespace
}  // namespace cqlperf::protocol
