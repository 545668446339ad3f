import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.ProgrammaticDriverConfigLoaderBuilder;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.AlreadyExistsException;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/** What a user of the Java driver 4 does. Arguments: host, port, V4, V5 or auto, compression. */
public final class Interop {
  private static final int ROWS = 2500;

  public static void main(String[] arguments) throws Exception {
    try (CqlSession session = connect(arguments)) {
      createSchema(session);
      checkMetadata(session);
      writeAndReadTypes(session);
      writeAndPage(session);
      checkBatches(session);
      checkConditions(session);
      checkErrors(session);
      session.execute("DROP KEYSPACE interop_java");
      System.out.println("ok " + session.getContext().getProtocolVersion());
    }
  }

  private static CqlSession connect(String[] arguments) {
    ProgrammaticDriverConfigLoaderBuilder config = DriverConfigLoader.programmaticBuilder()
        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(20))
        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(10))
        .withDuration(DefaultDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, Duration.ofSeconds(20));
    if (!arguments[2].equals("auto")) {
      config = config.withString(DefaultDriverOption.PROTOCOL_VERSION, arguments[2]);
    }
    if (!arguments[3].equals("none")) {
      config = config.withString(DefaultDriverOption.PROTOCOL_COMPRESSION, arguments[3]);
    }
    CqlSessionBuilder builder = CqlSession.builder()
        .addContactPoint(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])))
        .withLocalDatacenter("datacenter1")
        .withConfigLoader(config.build());
    return builder.build();
  }

  private static void check(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  private static void checkEqual(Object expected, Object found, String what) {
    check(Objects.equals(expected, found), what + ": expected " + expected + ", found " + found);
  }

  private static void createSchema(CqlSession session) {
    session.execute("DROP KEYSPACE IF EXISTS interop_java");
    session.execute("CREATE KEYSPACE interop_java WITH replication = "
        + "{'class': 'SimpleStrategy', 'replication_factor': 1}");
    session.execute("USE interop_java");
    session.execute("CREATE TABLE events (source text, day int, at timeuuid, value double, "
        + "note text, PRIMARY KEY ((source, day), at)) WITH CLUSTERING ORDER BY (at DESC)");
    session.execute("CREATE TABLE items (id int PRIMARY KEY, name text)");
    session.execute("CREATE TABLE hits (id int PRIMARY KEY, total counter)");
    session.execute("CREATE INDEX items_name ON items (name)");
    session.execute("CREATE TABLE types (id int PRIMARY KEY, a ascii, b bigint, bl blob, "
        + "bo boolean, da date, de decimal, d double, f float, i inet, s smallint, ti time, "
        + "ts timestamp, tu timeuuid, ty tinyint, u uuid, vi varint)");
  }

  private static void checkMetadata(CqlSession session) {
    check(session.checkSchemaAgreement(), "schema agreement");
    check(session.getMetadata().getTokenMap().isPresent(), "token map");
    TableMetadata table = session.getMetadata().getKeyspace("interop_java")
        .flatMap(keyspace -> keyspace.getTable("events")).orElseThrow();
    checkEqual(2, table.getPartitionKey().size(), "partition key columns");
    checkEqual(List.of(ClusteringOrder.DESC), List.copyOf(table.getClusteringColumns().values()),
        "clustering order");
    checkEqual(5, table.getColumns().size(), "columns");
    TableMetadata items = session.getMetadata().getKeyspace("interop_java")
        .flatMap(keyspace -> keyspace.getTable("items")).orElseThrow();
    check(items.getIndex("items_name").isPresent(), "the index in the metadata");
  }

  private static void writeAndReadTypes(CqlSession session) throws Exception {
    UUID timeUuid = UUID.fromString("50554d6e-29bb-11e5-b345-feff819cdc9f");
    Object[] values = {1, "ascii", Long.MIN_VALUE, ByteBuffer.wrap(new byte[] {0, 1, -1}), true,
        LocalDate.of(1969, 12, 31), new BigDecimal("-1.2345e-20"), Double.NaN, 1.5f,
        InetAddress.getByName("2001:db8::1"), (short) -5, LocalTime.of(23, 59, 59, 999_999_999),
        Instant.ofEpochMilli(-1), timeUuid, (byte) -128, UUID.randomUUID(),
        new BigInteger("-123456789012345678901234567890")};
    PreparedStatement insert = session.prepare("INSERT INTO types (id, a, b, bl, bo, da, de, d, f, "
        + "i, s, ti, ts, tu, ty, u, vi) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    session.execute(insert.bind(values));
    Row row = session.execute("SELECT id, a, b, bl, bo, da, de, d, f, i, s, ti, ts, tu, ty, u, vi "
        + "FROM types WHERE id = 1").one();
    for (int i = 0; i < values.length; ++i) {
      checkEqual(values[i], row.getObject(i), "value " + i);
    }
  }

  private static void writeAndPage(CqlSession session) throws Exception {
    PreparedStatement insert = session.prepare("INSERT INTO items (id, name) VALUES (?, ?)");
    List<CompletionStage<AsyncResultSet>> pending = new ArrayList<>();
    for (int id = 0; id < ROWS; ++id) {
      pending.add(session.executeAsync(insert.bind(id, "name " + id)));
      // The driver takes 1024 requests in flight per connection.
      if (pending.size() == 500 || id + 1 == ROWS) {
        for (CompletionStage<AsyncResultSet> one : pending) {
          one.toCompletableFuture().get();
        }
        pending.clear();
      }
    }
    Set<Integer> seen = new HashSet<>();
    ResultSet rows = session.execute(
        SimpleStatement.newInstance("SELECT id, name FROM items").setPageSize(100));
    for (Row row : rows) {
      checkEqual("name " + row.getInt("id"), row.getString("name"), "name");
      check(seen.add(row.getInt("id")), "a row twice");
    }
    checkEqual(ROWS, seen.size(), "rows of all pages");
    // The last page may be empty when the rows fill whole pages.
    int pages = rows.getExecutionInfos().size();
    check(pages == ROWS / 100 || pages == ROWS / 100 + 1, pages + " pages");
    Row found = session.execute("SELECT id FROM items WHERE name = 'name 77'").one();
    checkEqual(77, found.getInt(0), "row found by index");
    PreparedStatement select = session.prepare("SELECT * FROM items WHERE id = :id");
    check(!select.getPartitionKeyIndices().isEmpty(), "partition key indices");
    checkEqual("name 5", session.execute(select.bind().setInt("id", 5)).one().getString("name"),
        "a row by its key");
    Row named = session.execute(SimpleStatement.builder("SELECT name FROM items WHERE id = :id")
        .addNamedValue("id", 6).build()).one();
    checkEqual("name 6", named.getString(0), "a row by a named value");
  }

  private static void checkBatches(CqlSession session) {
    PreparedStatement insert = session.prepare("INSERT INTO items (id, name) VALUES (?, ?)");
    BatchStatementBuilder batch = BatchStatement.builder(BatchType.LOGGED);
    for (int id = 10_000; id < 10_050; ++id) {
      batch.addStatement(insert.bind(id, "batch"));
    }
    batch.addStatement(SimpleStatement.newInstance("DELETE FROM items WHERE id = 0"));
    session.execute(batch.build());
    checkEqual((long) ROWS + 49, session.execute("SELECT count(*) FROM items").one().getLong(0),
        "rows after the batch");
    BatchStatement counters = BatchStatement.newInstance(BatchType.COUNTER,
        SimpleStatement.newInstance("UPDATE hits SET total = total + 3 WHERE id = 1"),
        SimpleStatement.newInstance("UPDATE hits SET total = total - 1 WHERE id = 1"));
    session.execute(counters);
    checkEqual(2L, session.execute("SELECT total FROM hits WHERE id = 1").one().getLong(0),
        "the counter");
  }

  private static void checkConditions(CqlSession session) {
    String insert = "INSERT INTO items (id, name) VALUES (-1, 'once') IF NOT EXISTS";
    check(session.execute(insert).wasApplied(), "the first insert applies");
    ResultSet second = session.execute(insert);
    check(!second.wasApplied(), "the second does not");
    checkEqual("once", second.one().getString("name"), "the row that is there");
  }

  private static void checkErrors(CqlSession session) {
    expect(session, "SELEC * FROM items", SyntaxError.class);
    expect(session, "SELECT * FROM nope", InvalidQueryException.class);
    expect(session, "CREATE TABLE items (id int PRIMARY KEY)", AlreadyExistsException.class);
  }

  private static void expect(CqlSession session, String cql, Class<? extends Exception> wanted) {
    try {
      session.execute(cql);
    } catch (RuntimeException error) {
      check(wanted.isInstance(error), cql + " gave " + error);
      return;
    }
    throw new AssertionError(cql + " was taken");
  }
}
