#include "fuzz_input.h"
#include "message_round_trip.h"
#include "protocol/auth_response.h"
#include "protocol/batch.h"
#include "protocol/execute.h"
#include "protocol/options.h"
#include "protocol/prepare.h"
#include "protocol/query.h"
#include "protocol/register.h"
#include "protocol/startup.h"

// The bodies of all requests.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cqlperf::protocol;
  using cqlperf::fuzz::check_body;
  cqlperf::fuzz::FuzzInput input(data, size);
  const auto version = static_cast<Version>(3 + input.take_below(3));
  const size_t kind = input.take_below(8);
  const ByteView body = input.take_rest();
  switch (kind) {
    case 0:
      check_body<Startup>(version, body);
      break;
    case 1:
      check_body<Options>(version, body);
      break;
    case 2:
      check_body<Query>(version, body);
      break;
    case 3:
      check_body<Prepare>(version, body);
      break;
    case 4:
      check_body<Execute>(version, body);
      break;
    case 5:
      check_body<Batch>(version, body);
      break;
    case 6:
      check_body<Register>(version, body);
      break;
    default:
      check_body<AuthResponse>(version, body);
      break;
  }
  return 0;
}
