// Properties that hold for every message, on the samples of every kind and form.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "samples.h"

namespace cqlperf::protocol {
namespace {

// A body and what decodes it and encodes the outcome.
struct Sample {
  std::string name;
  Version version;
  Opcode opcode;
  Bytes body;
  std::function<core::Result<Bytes>(ByteView)> recode;
};

template <class Message>
Bytes encode(Version version, const Message& message) {
  core::Buffer out;
  message.encode_body(version, out);
  return to_bytes(out.bytes());
}

template <class Message>
core::Result<Bytes> recode_as(Version version, ByteView body) {
  auto message = Message::decode_body(version, body);
  if (!message) return std::unexpected(message.error());
  return encode(version, *message);
}

const std::vector<Sample>& all_samples() {
  static const std::vector<Sample> samples = [] {
    std::vector<Sample> made;
    for (const Version version : {Version::kV3, Version::kV4, Version::kV5}) {
      const auto add = [&]<class Message>(const char* name, const Message& message) {
        made.push_back({name, version, Message::kOpcode, encode(version, message),
                        [version](ByteView body) { return recode_as<Message>(version, body); }});
      };
      samples::visit_requests(version, add);
      samples::visit_responses(version, add);
      samples::visit_uncommon_errors(add);
    }
    return made;
  }();
  return samples;
}

// The sanitizers only see an access beyond the end when the bytes are a block of their own.
core::Result<Bytes> recode_copy(const Sample& sample, ByteView body) {
  const Bytes copy = to_bytes(body);
  return sample.recode(copy);
}

// Calls check(sample) for each, with its name in every failure.
template <class Check>
void for_each_sample(Check check) {
  for (const Sample& sample : all_samples()) {
    SCOPED_TRACE(sample.name + " v" + std::to_string(static_cast<int>(sample.version)));
    check(sample);
  }
}

TEST(EveryMessage, IsTheSameAfterARoundTrip) {
  for_each_sample([](const Sample& sample) {
    const auto recoded = recode_copy(sample, sample.body);
    ASSERT_TRUE(recoded) << recoded.error().message;
    EXPECT_EQ(*recoded, sample.body);
  });
}

TEST(EveryMessage, IsAnErrorWhenCutAtAnyByte) {
  for_each_sample([](const Sample& sample) {
    for (size_t size = 0; size < sample.body.size(); ++size) {
      // Of an unknown error the end is unknown, too: the three bytes after its message may be cut.
      if (sample.name == "error_unknown" && size + 3 >= sample.body.size()) continue;
      // The contentions of CAS may be left out.
      if (sample.name == "error_cas_timeout" && size + 2 == sample.body.size()) continue;
      const auto recoded = recode_copy(sample, ByteView(sample.body).first(size));
      ASSERT_FALSE(recoded) << "cut at byte " << size << " of " << sample.body.size();
      EXPECT_EQ(recoded.error().code, core::ErrorCode::kProtocol);
    }
  });
}

TEST(EveryMessage, IsAnErrorWithBytesAfterItsEnd) {
  for_each_sample([](const Sample& sample) {
    Bytes longer = sample.body;
    longer.push_back(0);
    // Errors are read whatever a server adds to them.
    EXPECT_EQ(recode_copy(sample, longer).has_value(), sample.opcode == Opcode::kError);
  });
}

void mutate(core::Random& random, Bytes& body) {
  const size_t place = random.below(body.size() + 1);
  const auto at = body.begin() + static_cast<ptrdiff_t>(place);
  if (at == body.end() || random.below(4) == 0) {
    body.insert(at, static_cast<uint8_t>(random.next()));
  } else if (random.below(3) == 0) {
    body.erase(at);
  } else if (random.below(2) == 0) {
    *at = random.below(2) == 0 ? 0xFF : 0x7F;  // the extremes of lengths and counts
  } else {
    *at = static_cast<uint8_t>(random.next());
  }
}

// What is accepted has one meaning: it is stable from the first encoding on.
void expect_error_or_stable(const Sample& sample, ByteView body) {
  const auto recoded = recode_copy(sample, body);
  if (!recoded) {
    EXPECT_FALSE(recoded.error().message.empty());
    return;
  }
  const auto again = recode_copy(sample, *recoded);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *recoded);
}

TEST(EveryMessage, SurvivesMutations) {
  core::Random random(2024);
  for_each_sample([&](const Sample& sample) {
    for (int round = 0; round < 2000; ++round) {
      Bytes body = sample.body;
      for (uint64_t left = 1 + random.below(4); left > 0; --left) mutate(random, body);
      expect_error_or_stable(sample, body);
    }
  });
}

TEST(EveryOpcode, HasASample) {
  for (uint8_t value = 0; value <= 0x10; ++value) {
    if (value == 0x04) continue;
    EXPECT_THAT(all_samples(),
                testing::Contains(testing::Field(&Sample::opcode, static_cast<Opcode>(value))))
        << opcode_name(static_cast<Opcode>(value));
  }
}

}  // namespace
}  // namespace cqlperf::protocol
