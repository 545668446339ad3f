#include "server/fault.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace cqlperf::server {
namespace {

using protocol::Opcode;

FaultRule rule(std::string_view text) {
  const auto parsed = parse_fault(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().message);
  return parsed.value_or(FaultRule{});
}

// A letter for each request: x where the fault strikes.
std::string pattern(const std::vector<FaultRule>& rules, uint64_t connection, int requests,
                    Opcode opcode = Opcode::kExecute, uint64_t seed = 1) {
  FaultInjector injector(rules, seed, connection);
  std::string text;
  for (int i = 0; i < requests; ++i) text += injector.next(opcode) != nullptr ? 'x' : '.';
  return text;
}

TEST(Fault, RulesAreRead) {
  const FaultRule delay = rule("delay=50ms,probability=0.1");
  EXPECT_EQ(delay.kind, FaultRule::Kind::kDelay);
  EXPECT_EQ(delay.delay_ns, 50'000'000);
  EXPECT_EQ(delay.probability, 0.1);
  const FaultRule error = rule("error=0x1001,every=100,opcode=EXECUTE");
  EXPECT_EQ(error.kind, FaultRule::Kind::kError);
  EXPECT_EQ(error.error_code, 0x1001);
  EXPECT_EQ(error.every, 100);
  EXPECT_EQ(error.opcode, Opcode::kExecute);
  EXPECT_EQ(rule("error=4352").error_code, 0x1100);
  const FaultRule close = rule("close,after=500,connection=3");
  EXPECT_EQ(close.kind, FaultRule::Kind::kClose);
  EXPECT_EQ(close.after, 500);
  EXPECT_EQ(close.connection, 3);
  EXPECT_EQ(rule("silence").kind, FaultRule::Kind::kSilence);
}

TEST(Fault, ErrorsSayWhatWouldBeRight) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "begin with what goes wrong"},
      {"explode", "delay=TIME, error=CODE, silence or close"},
      {"delay", "needs a value"},
      {"delay=fast", "fast"},
      {"delay=-1s", "negative"},
      {"error=oops", "0x1001"},
      {"error=", "0x1001"},
      {"error=0x", "0x1001"},
      {"silence=1", "takes no value"},
      {"close,every=0", "at least 1"},
      {"close,every=x", "every=x"},
      {"close,probability=2", "at most 1"},
      {"close,probability=nan", "at most 1"},
      {"close,opcode=READY", "EXECUTE"},
      {"close,opcode=execute", "EXECUTE"},
      {"close,sometimes", "the conditions are"},
      {"close,", "the conditions are"},
      {"close,every=2,probability=0.5", "exclude each other"},
  };
  for (const auto& [text, expected] : rows) {
    const auto parsed = parse_fault(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, core::ErrorCode::kUsage);
    EXPECT_NE(parsed.error().message.find(expected), std::string::npos)
        << text << " says: " << parsed.error().message;
  }
}

TEST(Fault, StrikesWhatTheConditionsSay) {
  EXPECT_EQ(pattern({rule("silence")}, 1, 4), "xxxx");
  EXPECT_EQ(pattern({rule("silence,every=3")}, 1, 7), "..x..x.");
  EXPECT_EQ(pattern({rule("silence,after=2")}, 1, 5), "..xxx");
  EXPECT_EQ(pattern({rule("silence,after=2,every=2")}, 1, 7), "...x.x.");
  EXPECT_EQ(pattern({rule("silence,connection=2")}, 1, 3), "...");
  EXPECT_EQ(pattern({rule("silence,connection=2")}, 2, 3), "xxx");
  EXPECT_EQ(pattern({rule("silence,opcode=QUERY")}, 1, 3), "...");
}

TEST(Fault, LeavesTheHandshakeAloneUnlessItIsNamed) {
  EXPECT_EQ(pattern({rule("silence")}, 1, 2, Opcode::kStartup), "..");
  EXPECT_EQ(pattern({rule("silence")}, 1, 2, Opcode::kOptions), "..");
  EXPECT_EQ(pattern({rule("silence,opcode=STARTUP")}, 1, 2, Opcode::kStartup), "xx");
}

TEST(Fault, ChanceIsTheSameForTheSameSeedAndConnection) {
  const std::vector<FaultRule> rules = {rule("silence,probability=0.3")};
  const std::string first = pattern(rules, 1, 1000);
  EXPECT_EQ(pattern(rules, 1, 1000), first);
  EXPECT_NE(pattern(rules, 2, 1000), first);
  EXPECT_NE(pattern(rules, 1, 1000, Opcode::kExecute, 2), first);
  const auto struck = std::count(first.begin(), first.end(), 'x');
  EXPECT_GT(struck, 230);
  EXPECT_LT(struck, 370);
}

TEST(Fault, TheFirstRuleThatAppliesCounts) {
  const std::vector<FaultRule> rules = {rule("silence,every=2"), rule("close,every=3")};
  FaultInjector injector(rules, 1, 1);
  std::vector<const FaultRule*> found;
  for (int i = 0; i < 6; ++i) found.push_back(injector.next(Opcode::kExecute));
  EXPECT_EQ(found, (std::vector<const FaultRule*>{nullptr, &rules[0], &rules[1], &rules[0], nullptr,
                                                  &rules[0]}));
}

TEST(Fault, InjectedErrorsHaveTheDetailsOfTheirCode) {
  const protocol::Bytes id = {1, 2, 3};
  for (const int32_t code : {0x0000, 0x1000, 0x1001, 0x1100, 0x1200, 0x1300, 0x1400, 0x1500, 0x1700,
                             0x2200, 0x2400, 0x2500, 0xF000, 0x7777}) {
    const protocol::ErrorMessage error = injected_error(code, id);
    core::Buffer body;
    error.encode_body(protocol::Version::kV4, body);
    const auto decoded = protocol::ErrorMessage::decode_body(protocol::Version::kV4, body.bytes());
    ASSERT_TRUE(decoded) << code;
    EXPECT_FALSE(decoded->message.empty());
  }
  const auto unprepared = injected_error(0x2500, id);
  EXPECT_EQ(std::get<protocol::UnpreparedDetails>(unprepared.details).id, id);
}

}  // namespace
}  // namespace cqlperf::server
