// What a user of gocql does: interop HOST PORT VERSION COMPRESSION, with version 3, 4 or 0 (what
// the server takes) and compression none or snappy. Prints ok at the end.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gocql/gocql"
)

const rows = 2500

func check(err error, what string) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

func expect(condition bool, format string, arguments ...any) {
	if !condition {
		fmt.Fprintf(os.Stderr, format+"\n", arguments...)
		os.Exit(1)
	}
}

func cluster(keyspace string) *gocql.ClusterConfig {
	config := gocql.NewCluster(os.Args[1])
	port, err := strconv.Atoi(os.Args[2])
	check(err, "port")
	config.Port = port
	config.ProtoVersion, err = strconv.Atoi(os.Args[3])
	check(err, "version")
	if os.Args[4] == "snappy" {
		config.Compressor = &gocql.SnappyCompressor{}
	}
	config.Keyspace = keyspace
	config.Consistency = gocql.Quorum
	config.Timeout = 20 * time.Second
	config.ConnectTimeout = 10 * time.Second
	config.PoolConfig.HostSelectionPolicy =
		gocql.TokenAwareHostPolicy(gocql.RoundRobinHostPolicy())
	return config
}

func connect(keyspace string) *gocql.Session {
	session, err := cluster(keyspace).CreateSession()
	check(err, "connecting to keyspace '"+keyspace+"'")
	return session
}

func createSchema() {
	session := connect("")
	defer session.Close()
	for _, cql := range []string{
		"DROP KEYSPACE IF EXISTS interop_gocql",
		"CREATE KEYSPACE interop_gocql WITH replication = " +
			"{'class': 'SimpleStrategy', 'replication_factor': 1}",
		"CREATE TABLE interop_gocql.items (id int, at int, name text, data blob, " +
			"PRIMARY KEY (id, at)) WITH CLUSTERING ORDER BY (at DESC)",
		"CREATE TABLE interop_gocql.hits (id int PRIMARY KEY, total counter)",
		"CREATE TABLE interop_gocql.times (id uuid PRIMARY KEY, t timestamp, d double, b boolean)",
	} {
		check(session.Query(cql).Exec(), cql)
	}
}

func checkMetadata(session *gocql.Session) {
	keyspace, err := session.KeyspaceMetadata("interop_gocql")
	check(err, "metadata")
	table := keyspace.Tables["items"]
	expect(table != nil, "no metadata of items")
	expect(len(table.PartitionKey) == 1 && table.PartitionKey[0].Name == "id", "partition key")
	expect(len(table.ClusteringColumns) == 1 && table.ClusteringColumns[0].Name == "at",
		"clustering columns")
	expect(len(table.Columns) == 4, "%d columns", len(table.Columns))
}

func write(session *gocql.Session) {
	var group sync.WaitGroup
	limit := make(chan struct{}, 100)
	for i := 0; i < rows; i++ {
		group.Add(1)
		limit <- struct{}{}
		go func(i int) {
			defer group.Done()
			err := session.Query("INSERT INTO items (id, at, name, data) VALUES (?, ?, ?, ?)",
				i%50, i, fmt.Sprint("name ", i), bytes.Repeat([]byte{byte(i)}, i%300)).Exec()
			check(err, "insert")
			<-limit
		}(i)
	}
	group.Wait()
}

func readPages(session *gocql.Session) {
	seen := map[int]bool{}
	iterator := session.Query("SELECT id, at, name, data FROM items").PageSize(73).Iter()
	var id, at int
	var name string
	var data []byte
	for iterator.Scan(&id, &at, &name, &data) {
		expect(id == at%50, "row %d in partition %d", at, id)
		expect(name == fmt.Sprint("name ", at), "name %q of row %d", name, at)
		expect(bytes.Equal(data, bytes.Repeat([]byte{byte(at)}, at%300)), "data of row %d", at)
		seen[at] = true
	}
	check(iterator.Close(), "paging")
	expect(len(seen) == rows, "%d rows in all pages", len(seen))

	previous := rows
	iterator = session.Query("SELECT at FROM items WHERE id = ? AND at < ?", 7, 2000).
		PageSize(9).Iter()
	count := 0
	for iterator.Scan(&at) {
		expect(at < previous, "%d comes after %d", at, previous)
		previous = at
		count++
	}
	check(iterator.Close(), "paging a partition")
	expect(count == 40, "%d rows in the partition", count)
}

func checkTypes(session *gocql.Session) {
	id := gocql.TimeUUID()
	at := time.UnixMilli(1_234_567_890_123).UTC()
	check(session.Query("INSERT INTO times (id, t, d, b) VALUES (?, ?, ?, ?)", id, at, -0.5,
		true).Exec(), "insert of types")
	found := map[string]any{}
	check(session.Query("SELECT * FROM times WHERE id = ?", id).MapScan(found), "types")
	expect(found["t"].(time.Time).Equal(at), "timestamp %v", found["t"])
	expect(found["d"] == -0.5 && found["b"] == true && found["id"] == id, "types: %v", found)
}

func checkBatches(session *gocql.Session) {
	batch := session.NewBatch(gocql.UnloggedBatch)
	for i := 0; i < 20; i++ {
		batch.Query("INSERT INTO items (id, at, name) VALUES (?, ?, ?)", 1000, i, "batch")
	}
	check(session.ExecuteBatch(batch), "batch")
	var count int
	check(session.Query("SELECT COUNT(*) FROM items WHERE id = 1000").Scan(&count), "count")
	expect(count == 20, "%d rows of the batch", count)

	counters := session.NewBatch(gocql.CounterBatch)
	counters.Query("UPDATE hits SET total = total + ? WHERE id = ?", int64(7), 1)
	counters.Query("UPDATE hits SET total = total - ? WHERE id = ?", int64(2), 1)
	check(session.ExecuteBatch(counters), "counter batch")
	var total int64
	check(session.Query("SELECT total FROM hits WHERE id = 1").Scan(&total), "counter")
	expect(total == 5, "the counter is %d", total)
}

func checkConditions(session *gocql.Session) {
	insert := "INSERT INTO items (id, at, name) VALUES (?, ?, ?) IF NOT EXISTS"
	existing := map[string]any{}
	applied, err := session.Query(insert, 2000, 1, "first").MapScanCAS(existing)
	check(err, "insert with a condition")
	expect(applied, "the first insert did not apply")
	applied, err = session.Query(insert, 2000, 1, "second").MapScanCAS(existing)
	check(err, "insert with a condition")
	expect(!applied && existing["name"] == "first", "applied %v, existing %v", applied, existing)
}

func checkErrors(session *gocql.Session) {
	var refused gocql.RequestError
	err := session.Query("SELECT nope FROM items").Exec()
	expect(errors.As(err, &refused) && refused.Code() == 0x2200, "unknown column: %v", err)
	err = session.Query("SELEC 1").Exec()
	expect(errors.As(err, &refused) && refused.Code() == 0x2000, "syntax: %v", err)
	err = session.Query("CREATE TABLE items (id int PRIMARY KEY)").Exec()
	expect(err != nil && strings.Contains(err.Error(), "already exist"), "table twice: %v", err)
}

func main() {
	createSchema()
	session := connect("interop_gocql")
	defer session.Close()
	checkMetadata(session)
	write(session)
	readPages(session)
	checkTypes(session)
	checkBatches(session)
	checkConditions(session)
	checkErrors(session)
	check(session.Query("DROP KEYSPACE interop_gocql").Exec(), "drop")
	fmt.Println("ok")
}
