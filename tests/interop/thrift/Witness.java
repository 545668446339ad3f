// The Java classes of Cassandra's RPC interface as a client. A server, the embedded one or a real
// Cassandra 3.11, is held to the answers that are written here.
//
//   Witness HOST PORT KEYSPACE write|read|schema|errors
//   Witness HOST PORT KEYSPACE login USER PASSWORD
//   Witness HOST PORT KEYSPACE look|rewrite TABLE ROWS
//
// `look` and `rewrite` are for the tables of `cqlperf forms`: they read the rows 0 to ROWS - 1;
// `rewrite` also deletes each, and writes it again as it was.
// `write` and `read` use the tables standard (key blob, C0 to C4 blob) and counters (key blob, C0 to
// C4 counter), which the caller has made in CQL, WITH COMPACT STORAGE.

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DeflaterOutputStream;
import org.apache.cassandra.thrift.*;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.transport.TFramedTransport;
import org.apache.thrift.transport.TSocket;

public final class Witness {
  private static final int TIMEOUT_MS = 30_000;
  private static final String BYTES = "org.apache.cassandra.db.marshal.BytesType";
  private static final ConsistencyLevel ONE = ConsistencyLevel.ONE;

  private interface Call {
    Object run() throws TException;
  }

  private final String keyspace;
  private final Cassandra.Client client;
  private int checks = 0;
  private int wrong = 0;

  private Witness(String host, int port, String keyspace) throws Exception {
    TFramedTransport transport = new TFramedTransport(new TSocket(host, port, TIMEOUT_MS));
    transport.open();
    this.client = new Cassandra.Client(new TBinaryProtocol(transport));
    this.keyspace = keyspace;
  }

  public static void main(String[] args) throws Exception {
    Witness witness = new Witness(args[0], Integer.parseInt(args[1]), args[2]);
    switch (args[3]) {
      case "write": witness.write(); break;
      case "read": witness.read(); break;
      case "schema": witness.schema(); break;
      case "errors": witness.errors(); break;
      case "login": witness.login(args[4], args[5]); break;
      case "look": witness.look(args[4], Integer.parseInt(args[5]), false); break;
      case "rewrite": witness.look(args[4], Integer.parseInt(args[5]), true); break;
      default: throw new IllegalArgumentException(args[3]);
    }
    System.out.println(witness.wrong == 0 ? "ok " + witness.checks : "wrong " + witness.wrong);
    System.exit(witness.wrong == 0 && witness.checks > 0 ? 0 : 1);
  }

  private void look(String table, int rows, boolean rewrite) throws TException {
    client.set_keyspace(keyspace);
    for (int i = 0; i < rows; ++i) {
      String key = String.format("%010d", i);
      List<ColumnOrSuperColumn> found = client.get_slice(
          bytes(key), new ColumnParent(table), between("", "", false, 100), ONE);
      expect("columns of " + key, 5, found.size());
      List<Mutation> mutations = new ArrayList<>();
      long now = System.currentTimeMillis() * 1000;
      for (int column = 0; column < found.size(); ++column) {
        Column old = found.get(column).getColumn();
        expect("column of " + key, "C" + column, text(old.bufferForName()));
        expect("bytes of " + key, 34, old.bufferForValue().remaining());
        Column again = new Column(old.bufferForName());
        again.setValue(old.bufferForValue());
        mutations.add(mutation(again.setTimestamp(now + 1)));
      }
      if (!rewrite) continue;
      batch(key, table, deletion(now));
      expect("deleted " + key, 0, client.get_slice(
          bytes(key), new ColumnParent(table), between("", "", false, 100), ONE).size());
      batch(key, table, mutations.toArray(new Mutation[0]));
    }
  }

  private void expect(String what, Object expected, Object actual) {
    ++checks;
    if (expected.equals(actual)) return;
    ++wrong;
    System.out.println(what + ": expected " + expected + ", got " + actual);
  }

  // What a call throws, as `Kind: why`; else `no exception`.
  private static String thrown(Call call) {
    try {
      call.run();
      return "no exception";
    } catch (InvalidRequestException e) {
      return "InvalidRequest: " + e.getWhy();
    } catch (AuthenticationException e) {
      return "Authentication: " + e.getWhy();
    } catch (TApplicationException e) {
      return "Application " + e.getType() + ": " + e.getMessage();
    } catch (TException e) {
      return e.getClass().getSimpleName();
    }
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(ByteBuffer bytes) {
    return bytes == null ? "null" : StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }

  private static ByteBuffer deflated(String text) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DeflaterOutputStream deflater = new DeflaterOutputStream(out)) {
      deflater.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (java.io.IOException e) {
      throw new IllegalStateException(e);
    }
    return ByteBuffer.wrap(out.toByteArray());
  }

  private static Column column(String name, String value, long timestamp) {
    Column column = new Column(bytes(name));
    column.setValue(bytes(value));
    column.setTimestamp(timestamp);
    return column;
  }

  private static Mutation mutation(Column column) {
    return new Mutation().setColumn_or_supercolumn(new ColumnOrSuperColumn().setColumn(column));
  }

  private static Mutation mutation(CounterColumn counter) {
    return new Mutation().setColumn_or_supercolumn(
        new ColumnOrSuperColumn().setCounter_column(counter));
  }

  private static Mutation deletion(long timestamp, String... names) {
    Deletion deletion = new Deletion().setTimestamp(timestamp);
    if (names.length > 0) deletion.setPredicate(named(names));
    return new Mutation().setDeletion(deletion);
  }

  private static SlicePredicate named(String... names) {
    List<ByteBuffer> list = new ArrayList<>();
    for (String name : names) list.add(bytes(name));
    return new SlicePredicate().setColumn_names(list);
  }

  private static SlicePredicate between(String start, String finish, boolean reversed, int count) {
    return new SlicePredicate().setSlice_range(
        new SliceRange(bytes(start), bytes(finish), reversed, count));
  }

  private void batch(String key, String table, Mutation... mutations) throws TException {
    batch(bytes(key), table, mutations);
  }

  private void batch(ByteBuffer key, String table, Mutation... mutations) throws TException {
    Map<ByteBuffer, Map<String, List<Mutation>>> map = new HashMap<>();
    map.put(key, Collections.singletonMap(table, Arrays.asList(mutations)));
    client.batch_mutate(map, ONE);
  }

  // `name=value@time` of each column, `name+count` of each counter.
  private String slice(String key, String table, SlicePredicate predicate) throws TException {
    StringBuilder found = new StringBuilder();
    for (ColumnOrSuperColumn one :
        client.get_slice(bytes(key), new ColumnParent(table), predicate, ONE)) {
      if (found.length() > 0) found.append(' ');
      if (one.isSetColumn()) {
        Column column = one.getColumn();
        found.append(text(column.name)).append('=').append(text(column.value)).append('@');
        found.append(column.getTimestamp());
        if (column.isSetTtl()) found.append("/ttl");
      } else {
        CounterColumn counter = one.getCounter_column();
        found.append(text(counter.name)).append('+').append(counter.getValue());
      }
    }
    return found.toString();
  }

  private String all(String key, String table) throws TException {
    return slice(key, table, between("", "", false, 100));
  }

  private CqlResult query(String query) throws TException {
    return client.execute_cql3_query(bytes(query), Compression.NONE, ONE);
  }

  private int prepare(String query) throws TException {
    return client.prepare_cql3_query(bytes(query), Compression.NONE).getItemId();
  }

  private CqlResult execute(int item, String... values) throws TException {
    List<ByteBuffer> list = new ArrayList<>();
    for (String value : values) list.add(bytes(value));
    return client.execute_prepared_cql3_query(item, list, ONE);
  }

  // The rows of a result, `name=value` for each column.
  private static String rows(CqlResult result) {
    StringBuilder found = new StringBuilder(result.getType().toString());
    if (!result.isSetRows()) return found.toString();
    for (CqlRow row : result.getRows()) {
      found.append(" [").append(text(ByteBuffer.wrap(row.getKey())));
      for (Column column : row.getColumns())
        found.append(' ').append(text(column.name)).append('=').append(text(column.value));
      found.append(']');
    }
    return found.toString();
  }

  private void write() throws TException {
    client.set_keyspace(keyspace);
    writeColumns();
    writeCounters();
    deleteColumns();
    slices();
    writeInCql();
    prepared();
  }

  private void writeColumns() throws TException {
    batch("batch", "standard", mutation(column("C0", "zero", 10)), mutation(column("C1", "one", 10)),
        mutation(column("C4", "four", 11)));
    expect("batch_mutate", "C0=zero@10 C1=one@10 C4=four@11", all("batch", "standard"));
    batch("batch", "standard", mutation(column("C0", "older", 9)));
    expect("an older time", "C0=zero@10 C1=one@10 C4=four@11", all("batch", "standard"));
    batch("batch", "standard", mutation(column("C2", "first", 12)),
        mutation(column("C2", "second", 13)));
    expect("twice in a call", "C0=zero@10 C1=one@10 C2=second@13 C4=four@11",
        all("batch", "standard"));
    client.insert(bytes("insert"), new ColumnParent("standard"), column("C3", "", 5), ONE);
    expect("insert of an empty value", "C3=@5", all("insert", "standard"));
    Column expiring = column("C1", "soon gone", 20).setTtl(3600);
    client.insert(bytes("expiring"), new ColumnParent("standard"), expiring, ONE);
    expect("a TTL", "C1=soon gone@20/ttl", all("expiring", "standard"));
    Map<ByteBuffer, Map<String, List<Mutation>>> rows = new HashMap<>();
    for (int i = 0; i < 100; ++i)
      rows.put(bytes("many" + i), Collections.singletonMap("standard",
          Collections.singletonList(mutation(column("C0", "value" + i, 7)))));
    client.batch_mutate(rows, ConsistencyLevel.QUORUM);
    expect("many rows", "C0=value42@7", all("many42", "standard"));
    expect("no row", "", all("nobody", "standard"));
  }

  private void writeCounters() throws TException {
    batch("counted", "counters", mutation(new CounterColumn(bytes("C0"), 5)),
        mutation(new CounterColumn(bytes("C1"), -2)));
    batch("counted", "counters", mutation(new CounterColumn(bytes("C0"), 3)));
    client.add(bytes("counted"), new ColumnParent("counters"), new CounterColumn(bytes("C2"), 9), ONE);
    expect("counters", "C0+8 C1+-2 C2+9", all("counted", "counters"));
    expect("counters by name", "C1+-2", slice("counted", "counters", named("C1", "C3")));
  }

  private void deleteColumns() throws TException {
    batch("deleted", "standard", mutation(column("C0", "a", 10)), mutation(column("C1", "b", 10)),
        mutation(column("C2", "c", 10)));
    batch("deleted", "standard", deletion(11, "C1"));
    expect("a column deleted", "C0=a@10 C2=c@10", all("deleted", "standard"));
    batch("deleted", "standard", deletion(12));
    expect("a row deleted", "", all("deleted", "standard"));
    batch("deleted", "standard", mutation(column("C0", "older", 12)));
    expect("written before the deletion", "", all("deleted", "standard"));
    batch("deleted", "standard", mutation(column("C0", "newer", 13)));
    expect("written after it", "C0=newer@13", all("deleted", "standard"));
  }

  private void slices() throws TException {
    Mutation[] mutations = new Mutation[5];
    for (int i = 0; i < 5; ++i) mutations[i] = mutation(column("C" + i, "v" + i, 1));
    batch("slices", "standard", mutations);
    expect("a range", "C1=v1@1 C2=v2@1 C3=v3@1",
        slice("slices", "standard", between("C1", "C3", false, 100)));
    expect("between names", "C2=v2@1", slice("slices", "standard", between("C11", "C2zz", false, 9)));
    expect("some", "C0=v0@1 C1=v1@1", slice("slices", "standard", between("", "", false, 2)));
    // Columns of the schema come in their order all the same.
    expect("reversed", "C0=v0@1 C1=v1@1", slice("slices", "standard", between("", "", true, 2)));
    expect("reversed range", "C2=v2@1 C3=v3@1",
        slice("slices", "standard", between("C3", "C2", true, 100)));
    expect("names", "C0=v0@1 C3=v3@1", slice("slices", "standard", named("C3", "none", "C0")));
    expect("none", "", slice("slices", "standard", between("", "", false, 0)));
  }

  private void writeInCql() throws TException {
    expect("an INSERT", "VOID", rows(query("INSERT INTO standard (key, \"C0\", \"C1\") VALUES "
        + "(0x6c69746572616c, 0x6162, 0x6364) USING TIMESTAMP 50")));
    expect("seen in Thrift", "C0=ab@50 C1=cd@50", all("literal", "standard"));
    expect("a SELECT", "ROWS [ key=literal C0=ab C2=null]",
        rows(query("SELECT key, \"C0\", \"C2\" FROM standard WHERE key = 0x6c69746572616c")));
    CqlMetadata schema = query("SELECT key FROM standard LIMIT 1").getSchema();
    expect("names", "UTF8Type", schema.getName_types().get(bytes("key")));
    expect("types", BYTES, schema.getValue_types().get(bytes("key")));
    expect("no rows", "ROWS", rows(query("SELECT key FROM standard WHERE key = 0x99")));
    expect("a counter", "VOID",
        rows(query("UPDATE counters SET \"C0\" = \"C0\" + 4 WHERE key = 0x636f756e746564")));
    expect("a counter in Thrift", "C0+12", slice("counted", "counters", named("C0")));
    CqlResult inflated = client.execute_cql3_query(
        deflated("SELECT \"C1\" FROM standard WHERE key = 0x6c69746572616c"), Compression.GZIP, ONE);
    expect("a compressed query", "ROWS [ C1=cd]", rows(inflated));
    expect("a row without columns", "InvalidRequest: Some clustering keys are missing: column1",
        thrown(() -> query("INSERT INTO standard (key) VALUES (0x656d707479)")));
    expect("nulls", "VOID",
        rows(query("INSERT INTO standard (key, \"C0\") VALUES (0x656d707479, null)")));
    expect("are no row", "ROWS", rows(query("SELECT key FROM standard WHERE key = 0x656d707479")));
  }

  private void prepared() throws TException {
    String insert = "INSERT INTO standard (key, \"C0\", \"C1\") VALUES (?, ?, ?)";
    CqlPreparedResult answer = client.prepare_cql3_query(bytes(insert), Compression.NONE);
    expect("the number", (keyspace + insert).hashCode(), answer.getItemId());
    expect("the markers", 3, answer.getCount());
    expect("their names", Arrays.asList("key", "C0", "C1"), answer.getVariable_names());
    expect("their types", Arrays.asList(BYTES, BYTES, BYTES), answer.getVariable_types());
    expect("binary values", "VOID", rows(execute(answer.getItemId(), "prepared", "x", "y")));
    expect("prepared, read", "ROWS [ C0=x C1=y]", rows(execute(
        prepare("SELECT \"C0\", \"C1\" FROM standard WHERE key = ?"), "prepared")));
    int json = client.prepare_cql3_query(deflated("INSERT INTO standard JSON ?"), Compression.GZIP)
        .getItemId();
    expect("strings", "VOID", rows(execute(json,
        "{\"key\": \"0x6a736f6e\", \"\\\"C0\\\"\": \"0x6869\", \"\\\"C4\\\"\": \"0x686f\"}")));
    expect("strings, read", "C0=hi C4=ho", all("json", "standard").replaceAll("@\\d+", ""));
    int add = prepare("UPDATE counters SET \"C3\" = \"C3\" + ? WHERE key = ?");
    expect("a counter", "VOID",
        rows(execute(add, "\0\0\0\0\0\0\0\7", "counted")));
    expect("a counter, read", "C3+7", slice("counted", "counters", named("C3")));
  }

  // What the CQL side wrote: a row, a counter, and an index on C1.
  private void read() throws TException {
    client.set_keyspace(keyspace);
    expect("columns", "C0=from cql@77 C1=indexed@77", all("cql", "standard"));
    expect("counters", "C0+41", all("cql", "counters"));
    batch("by index", "standard", mutation(column("C1", "wanted", 5)));
    expect("the index", "ROWS [ key=by index C1=wanted]", rows(query(
        "SELECT key, \"C1\" FROM standard WHERE \"C1\" = 0x" + "77616e746564")));
    client.truncate("standard");
    expect("truncated", "", all("cql", "standard"));
  }

  private static ColumnDef columnDef(String name, String type) {
    return new ColumnDef(bytes(name), type);
  }

  private CfDef table(String keyspace_name, String name, String type) {
    CfDef table = new CfDef(keyspace_name, name);
    table.setComparator_type("AsciiType");
    table.setDefault_validation_class(type);
    table.setKey_validation_class("BytesType");
    for (int i = 0; i < 5; ++i) table.addToColumn_metadata(columnDef("C" + i, type));
    return table;
  }

  private KsDef definition(String name, CfDef... tables) {
    KsDef definition = new KsDef(name, "SimpleStrategy", Arrays.asList(tables));
    definition.setStrategy_options(Collections.singletonMap("replication_factor", "1"));
    return definition;
  }

  private void schema() throws TException {
    String made = keyspace + "_made";
    CfDef indexed = table(made, "Indexed1", "BytesType");
    indexed.getColumn_metadata().get(1).setIndex_type(IndexType.KEYS);
    client.system_add_keyspace(definition(made, table(made, "Standard1", "BytesType"), indexed,
        table(made, "Counter1", "CounterColumnType")));
    client.set_keyspace(made);
    batch("k", "Standard1", mutation(column("C0", "v", 3)));
    expect("a column", "C0=v@3", all("k", "Standard1"));
    batch("k", "Counter1", mutation(new CounterColumn(bytes("C4"), 6)));
    expect("a counter", "C4+6", all("k", "Counter1"));
    batch("k", "Indexed1", mutation(column("C1", "w", 3)));
    expect("an index", "ROWS [ C1=w]",
        rows(query("SELECT \"C1\" FROM \"Indexed1\" WHERE \"C1\" = 0x77")));
    expect("in CQL", "ROWS [ key=k C0=v]",
        rows(query("SELECT key, \"C0\" FROM \"Standard1\"")));
    describe(made);
    client.system_add_column_family(table(made, "Later1", "BytesType"));
    client.insert(bytes("k"), new ColumnParent("Later1"), column("C2", "l", 4), ONE);
    expect("a table added", "C2=l@4", all("k", "Later1"));
    expect("the same again", true, thrown(() -> client.system_add_column_family(
        table(made, "Later1", "BytesType"))).startsWith("InvalidRequest: "));
    expect("the same keyspace again", "InvalidRequest: Keyspace names must be case-insensitively "
        + "unique (\"" + made + "\" conflicts with \"" + made + "\")",
        thrown(() -> client.system_add_keyspace(definition(made))));
    client.system_drop_column_family("Later1");
    expect("a table dropped", "InvalidRequest: unconfigured table Later1",
        thrown(() -> all("k", "Later1")));
    client.system_drop_keyspace(made);
    expect("a keyspace dropped", "NotFoundException", thrown(() -> client.describe_keyspace(made)));
  }

  private void describe(String made) throws TException {
    KsDef described = client.describe_keyspace(made);
    expect("its name", made, described.getName());
    expect("its tables", 3, described.getCf_defsSize());
    for (CfDef table : described.getCf_defs())
      expect("columns of " + table.getName(), 5, table.getColumn_metadataSize());
    int found = 0;
    for (KsDef one : client.describe_keyspaces()) if (one.getName().equals(made)) ++found;
    expect("in the list", 1, found);
    expect("the version", "20.1.0", client.describe_version());
    expect("a cluster name", false, client.describe_cluster_name().isEmpty());
  }

  private void errors() throws TException {
    errorsWithoutKeyspace();
    client.set_keyspace(keyspace);
    errorsOfWrites();
    errorsOfReads();
    errorsOfCql();
    errorsOfOldCalls();
    expect("the connection goes on", "20.1.0", client.describe_version());
  }

  private void errorsWithoutKeyspace() {
    expect("no keyspace", "InvalidRequest: No keyspace has been specified. USE a "
        + "keyspace, or explicitly specify keyspace.tablename",
        thrown(() -> all("k", "standard")));
    expect("an unknown keyspace", "InvalidRequest: Keyspace 'nowhere' does not exist",
        thrown(() -> { client.set_keyspace("nowhere"); return 0; }));
    expect("its description", "NotFoundException", thrown(() -> client.describe_keyspace("nowhere")));
  }

  private String writing(String key, String table, Mutation... mutations) {
    return thrown(() -> { batch(key, table, mutations); return 0; });
  }

  private void errorsOfWrites() {
    expect("no table", "InvalidRequest: unconfigured table nothing",
        writing("k", "nothing", mutation(column("C0", "v", 1))));
    expect("an empty key", "InvalidRequest: Key may not be empty",
        writing("", "standard", mutation(column("C0", "v", 1))));
    expect("a long key", "InvalidRequest: Key length of 65536 is longer than maximum of 65535",
        writing(new String(new char[65536]).replace('\0', 'k'), "standard",
            mutation(column("C0", "v", 1))));
    expect("no time", "InvalidRequest: Column timestamp is required", writing("k", "standard",
        mutation(new Column(bytes("C0")).setValue(bytes("v")))));
    expect("no value", "InvalidRequest: Column value is required",
        writing("k", "standard", mutation(new Column(bytes("C0")).setTimestamp(1))));
    expect("no name", "InvalidRequest: column name must not be empty",
        writing("k", "standard", mutation(column("", "v", 1))));
    expect("TTL 0, which is none", "no exception",
        writing("k", "standard", mutation(column("C0", "v", 1).setTtl(0))));
    expect("a negative TTL", "InvalidRequest: ttl must be greater or equal to 0",
        writing("k", "standard", mutation(column("C0", "v", 1).setTtl(-1))));
    expect("a large TTL",
        "InvalidRequest: ttl is too large. requested (630720001) maximum (630720000)",
        writing("k", "standard", mutation(column("C0", "v", 1).setTtl(630_720_001))));
    expect("a column in a table of counters",
        "InvalidRequest: invalid operation for commutative table counters",
        writing("k", "counters", mutation(column("C0", "v", 1))));
    expect("a counter in another",
        "InvalidRequest: invalid operation for non commutative table standard",
        writing("k", "standard", mutation(new CounterColumn(bytes("C0"), 1))));
    expect("insert into counters",
        "InvalidRequest: invalid operation for commutative table counters", thrown(() -> {
          client.insert(bytes("k"), new ColumnParent("counters"), column("C0", "v", 1), ONE);
          return 0;
        }));
    expect("add to another",
        "InvalidRequest: invalid operation for non commutative table standard", thrown(() -> {
          client.add(bytes("k"), new ColumnParent("standard"), new CounterColumn(bytes("C0"), 1), ONE);
          return 0;
        }));
    expect("a value of another type", "no exception",
        writing("k", "standard", mutation(column("C0", "\u00fc", 1))));
    expect("a deletion without a time", "InvalidRequest: Deletion timestamp is not optional for "
        + "non commutative table standard",
        writing("k", "standard", new Mutation().setDeletion(new Deletion())));
    expect("a long name", true, writing("k", "standard", mutation(column(
        new String(new char[65536]).replace('\0', 'n'), "v", 1))).startsWith("InvalidRequest: "));
    expect("a column and a deletion", "InvalidRequest: mutation must have one and only one of "
        + "column_or_supercolumn or deletion", writing("k", "standard",
        mutation(column("C0", "v", 1)).setDeletion(new Deletion().setTimestamp(1))));
    expect("a column that is none", true, writing("k", "standard", new Mutation()
        .setColumn_or_supercolumn(new ColumnOrSuperColumn())).startsWith("InvalidRequest: "));
    expect("an empty mutation", "InvalidRequest: mutation must have one and only one of "
        + "column_or_supercolumn or deletion", writing("k", "standard", new Mutation()));
    expect("truncating nothing", "InvalidRequest: unconfigured table nothing",
        thrown(() -> { client.truncate("nothing"); return 0; }));
  }

  private String slicing(String table, SlicePredicate predicate) {
    return thrown(() -> slice("k", table, predicate));
  }

  private void errorsOfReads() {
    expect("reading nothing", "InvalidRequest: unconfigured table nothing",
        slicing("nothing", named("C0")));
    expect("an empty predicate",
        "InvalidRequest: predicate column_names and slice_range may not both be null",
        slicing("standard", new SlicePredicate()));
    expect("a full predicate",
        "InvalidRequest: predicate column_names and slice_range may not both be present",
        slicing("standard", named("C0").setSlice_range(
            new SliceRange(bytes(""), bytes(""), false, 1))));
    expect("a negative count", "InvalidRequest: get_slice requires non-negative count",
        slicing("standard", between("", "", false, -1)));
    expect("a range that ends before it begins",
        "InvalidRequest: range finish must come after start in the order of traversal",
        slicing("standard", between("C2", "C1", false, 5)));
    expect("ANY", "InvalidRequest: ANY ConsistencyLevel is only supported for writes",
        thrown(() -> client.get_slice(bytes("k"), new ColumnParent("standard"), named("C0"),
            ConsistencyLevel.ANY)));
  }

  private void errorsOfCql() throws TException {
    expect("no CQL", true, thrown(() -> query("SELEKT")).startsWith("InvalidRequest: line 1:0 "));
    // In the words of the server's CQL, which are not those of 3.11 on every server.
    expect("no such table", true, thrown(() -> query("SELECT * FROM nothing"))
        .matches("InvalidRequest: .*table nothing.*"));
    expect("not prepared", true, thrown(() -> execute(12345))
        .startsWith("InvalidRequest: Prepared query with ID 12345 not found"));
    int item = prepare("SELECT \"C0\" FROM standard WHERE key = ?");
    expect("too few values",
        "InvalidRequest: there were 1 markers(?) in CQL but 0 bound variables",
        thrown(() -> execute(item)));
    int json = prepare("INSERT INTO standard JSON ?");
    expect("no JSON", true, thrown(() -> execute(json, "{")).startsWith("InvalidRequest: "));
    expect("not compressed", "InvalidRequest: Error deflating query string.",
        thrown(() -> client.execute_cql3_query(bytes("SELECT 1"), Compression.GZIP, ONE)));
    expect("preparing nonsense", true,
        thrown(() -> prepare("SELEKT")).startsWith("InvalidRequest: line 1:0 "));
  }

  private void errorsOfOldCalls() {
    String gone =
        "InvalidRequest: CQL2 has been removed in Cassandra 3.0. Please use CQL3 instead";
    expect("CQL2", gone, thrown(() -> client.execute_cql_query(bytes("SELECT"), Compression.NONE)));
    expect("CQL2, prepared", gone,
        thrown(() -> client.prepare_cql_query(bytes("SELECT"), Compression.NONE)));
    expect("CQL2, executed", gone, thrown(
        () -> client.execute_prepared_cql_query(1, Collections.<ByteBuffer>emptyList())));
    expect("its version", "no exception",
        thrown(() -> { client.set_cql_version("3.0.0"); return 0; }));
  }

  private void login(String user, String password) throws TException {
    String outside = "InvalidRequest: You have not logged in";
    expect("the list of keyspaces", outside, thrown(() -> client.describe_keyspaces()));
    expect("a query", outside, thrown(() -> query("SELECT * FROM system.local")));
    expect("a keyspace to use", "no exception",
        thrown(() -> { client.set_keyspace("system"); return 0; }));
    expect("a write", outside, writing("k", "local", mutation(column("C0", "v", 1))));
    Map<String, String> wrongOnes = new HashMap<>();
    wrongOnes.put("username", user);
    wrongOnes.put("password", password + "?");
    expect("a wrong password",
        "Authentication: Provided username " + user + " and/or password are incorrect",
        thrown(() -> { client.login(new AuthenticationRequest(wrongOnes)); return 0; }));
    Map<String, String> right = new HashMap<>(wrongOnes);
    right.put("password", password);
    client.login(new AuthenticationRequest(right));
    expect("after it", false, client.describe_keyspaces().isEmpty());
  }
}
