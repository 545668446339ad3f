#include "cli/serve_options.h"

#include <gtest/gtest.h>

#include "command_rows.h"

namespace cqlperf::cli {
namespace {

ServeConfig serve(const std::string& arguments) {
  const auto command = parse_command_line(split_words("serve " + arguments));
  EXPECT_TRUE(command) << arguments << ": " << (command ? "" : command.error().message);
  if (!command || !command->serve) return {};
  EXPECT_FALSE(command->run);
  return *command->serve;
}

TEST(ServeOptions, DefaultsAreALoopbackServerWithATemporaryDirectory) {
  const ServeConfig config = serve("");
  EXPECT_EQ(config.listen, (net::Endpoint{"127.0.0.1", 9042}));
  EXPECT_TRUE(config.data_directory.empty());
  EXPECT_FALSE(config.null_storage || config.sync || config.allow_remote);
  EXPECT_EQ(config.memory_bytes, 256 << 20);
  EXPECT_GE(config.threads, 1);
  EXPECT_TRUE(config.user.empty());
  EXPECT_TRUE(config.faults.empty());
}

TEST(ServeOptions, ThriftIsSpokenWhenAPortIsGiven) {
  EXPECT_FALSE(serve("").thrift_port);
  EXPECT_EQ(serve("--thrift-port 9160").thrift_port, 9160);
  EXPECT_EQ(serve("--listen 127.0.0.1:0 --thrift-port 0").thrift_port, 0);
}

TEST(ServeOptions, FlagsAreTaken) {
  const ServeConfig config =
      serve("--listen [::1]:9043 --data d --threads 3 --memory 1GiB --sync --auth loader:se:cret");
  EXPECT_EQ(config.listen, (net::Endpoint{"::1", 9043}));
  EXPECT_EQ(config.data_directory, "d");
  EXPECT_EQ(config.threads, 3);
  EXPECT_EQ(config.memory_bytes, int64_t{1} << 30);
  EXPECT_TRUE(config.sync);
  EXPECT_EQ(config.user, "loader");
  EXPECT_EQ(config.password, "se:cret");
  EXPECT_TRUE(serve("--storage null").null_storage);
  EXPECT_TRUE(serve("--listen 0.0.0.0:0 --allow-remote").allow_remote);
}

TEST(ServeOptions, FaultsKeepTheirOrder) {
  const ServeConfig config =
      serve("--fault delay=50ms,probability=0.1 --fault close,after=5 --fault-seed 9");
  ASSERT_EQ(config.faults.size(), 2);
  EXPECT_EQ(config.faults[0].kind, server::FaultRule::Kind::kDelay);
  EXPECT_EQ(config.faults[1].kind, server::FaultRule::Kind::kClose);
  EXPECT_EQ(config.fault_seed, 9);
}

TEST(ServeOptions, TheLoginMayComeFromTheEnvironment) {
  ServeConfig config;
  EXPECT_TRUE(take_auth_from_environment(config, nullptr));
  EXPECT_TRUE(config.user.empty());
  EXPECT_TRUE(take_auth_from_environment(config, "a:b"));
  EXPECT_EQ(config.user + "/" + config.password, "a/b");
  EXPECT_TRUE(take_auth_from_environment(config, "c:d"));
  EXPECT_EQ(config.user, "a") << "the flag is the stronger one";
  ServeConfig wrong;
  const auto taken = take_auth_from_environment(wrong, "secret");
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().message.find("CQLPERF_AUTH"), std::string::npos);
  EXPECT_EQ(taken.error().message.find("secret"), std::string::npos);
}

TEST(ServeOptions, TheBadOnesAreRefusedAndSayWhy) {
  const auto rows = read_command_rows("bad_serve_command_lines.txt");
  ASSERT_GT(rows.size(), 30);
  expect_all_refused(rows);
}

TEST(ServeOptions, HelpExplainsFaultsAndTheLogin) {
  const auto help = parse_command_line({"serve", "--help"});
  ASSERT_TRUE(help);
  for (const char* text : {"--listen", "--data", "--threads", "--memory", "--sync", "--storage",
                           "--auth", "--fault", "--fault-seed", "--allow-remote", "CQLPERF_AUTH",
                           "Examples:", "probability=P", "every=N", "Exit codes:", "listening on"})
    EXPECT_NE(help->text.find(text), std::string::npos) << text;
  EXPECT_EQ(help->text.find("until-stdin-closes"), std::string::npos);
}

TEST(EmbeddedOptions, AreTakenByRun) {
  const auto plain = parse_command_line({"run"});
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->embedded.enabled);
  const auto command = parse_command_line(
      {"run", "--embedded", "--embedded-storage", "null", "--embedded-threads", "2"});
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_TRUE(command->embedded.enabled && command->embedded.null_storage);
  EXPECT_EQ(command->embedded.threads, 2);
}

}  // namespace
}  // namespace cqlperf::cli
