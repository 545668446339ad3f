// Command gocql_loop is the plain Go client that cqlperf is compared with: N goroutines, each of
// which inserts one row with a prepared statement, waits for the answer, and goes on. It prints one
// line of JSON with its rate, its own CPU time per operation, and its latencies.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"net"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gocql/gocql"
)

// A run that is bounded by -count alone still ends.
const longestRun = 30 * time.Minute

type options struct {
	server      string
	keyspace    string
	parallelism int
	connections int
	count       int64
	duration    time.Duration
	warmup      time.Duration
	save        bool
}

type result struct {
	Operations        uint64  `json:"operations"`
	Errors            uint64  `json:"errors"`
	Seconds           float64 `json:"seconds"`
	OpsPerSecond      float64 `json:"ops_per_second"`
	CPUUsPerOperation float64 `json:"cpu_us_per_operation"`
	MeanUs            float64 `json:"mean_us"`
	P50Us             float64 `json:"p50_us"`
	P99Us             float64 `json:"p99_us"`
}

func parseOptions() (options, error) {
	var o options
	flag.StringVar(&o.server, "server", "127.0.0.1:9042", "loopback `host:port` of the server")
	flag.StringVar(&o.keyspace, "keyspace", "test_keyspace", "`name` of the keyspace")
	flag.IntVar(&o.parallelism, "parallelism", 100, "operations in flight, 1 to 100000")
	flag.IntVar(&o.connections, "connections", 2, "connections (2 is what gocql takes by default)")
	flag.Int64Var(&o.count, "count", 0, "operations to measure (0: until -duration)")
	flag.DurationVar(&o.duration, "duration", 0, "time to measure (10s, or no limit with -count)")
	flag.DurationVar(&o.warmup, "warmup", time.Second, "time to run before measuring")
	flag.BoolVar(&o.save, "save", false, "keep the keyspace (one that was there is always kept)")
	flag.Parse()
	if o.duration == 0 {
		o.duration = 10 * time.Second
		if o.count > 0 {
			o.duration = longestRun
		}
	}
	return o, validate(o)
}

func validate(o options) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if o.parallelism < 1 || o.parallelism > 100000 {
		return fmt.Errorf("-parallelism %d: must be from 1 to 100000", o.parallelism)
	}
	if o.connections < 1 || o.connections > 1000 {
		return fmt.Errorf("-connections %d: must be from 1 to 1000", o.connections)
	}
	if o.count < 0 {
		return fmt.Errorf("-count %d: must be 0 or more", o.count)
	}
	if o.duration < 0 || o.duration > longestRun || o.warmup < 0 || o.warmup > longestRun {
		return fmt.Errorf("-duration and -warmup must be from 0 to %v", longestRun)
	}
	if !regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`).MatchString(o.keyspace) {
		return fmt.Errorf("-keyspace %q: must be a lower-case name", o.keyspace)
	}
	host, _, err := net.SplitHostPort(o.server)
	if err != nil {
		return fmt.Errorf("-server %q: must be host:port", o.server)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("-server %q: must be a loopback address; this load is for one machine", o.server)
	}
	return nil
}

func connect(o options, keyspace string) (*gocql.Session, error) {
	cluster := gocql.NewCluster(o.server)
	cluster.Keyspace = keyspace
	cluster.NumConns = o.connections
	cluster.Timeout = 10 * time.Second
	cluster.ConnectTimeout = 10 * time.Second
	return cluster.CreateSession()
}

// prepareSchema makes the keyspace and the table where they are missing, and says whether the
// keyspace is ours to drop.
func prepareSchema(session *gocql.Session, keyspace string) (bool, error) {
	var found string
	err := session.Query("SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?",
		keyspace).Scan(&found)
	if err != nil && !errors.Is(err, gocql.ErrNotFound) {
		return false, err
	}
	made := found == ""
	for _, statement := range []string{
		"CREATE KEYSPACE IF NOT EXISTS " + keyspace +
			" WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
		"CREATE TABLE IF NOT EXISTS " + keyspace +
			".test_table (id int PRIMARY KEY, va int, vb int, vc int)",
	} {
		if err := session.Query(statement).Exec(); err != nil {
			return made, err
		}
	}
	return made, nil
}

// loop is one closed loop of several workers over the same session.
type loop struct {
	session  *gocql.Session
	deadline time.Time
	stop     atomic.Bool
	failures atomic.Uint64
	first    sync.Once // reports the first error only
}

func (l *loop) insert(random *rand.Rand) error {
	return l.session.Query("INSERT INTO test_table (id, va, vb, vc) VALUES (?, ?, ?, ?)",
		int32(random.Uint32()), int32(random.Uint32()), int32(random.Uint32()),
		int32(random.Uint32())).Exec()
}

// work inserts until the deadline, or count times when count is not negative.
func (l *loop) work(seed, count int64, latencies *histogram) {
	random := rand.New(rand.NewSource(seed))
	begin := time.Now()
	for i := int64(0); (count < 0 || i < count) && begin.Before(l.deadline) && !l.stop.Load(); i++ {
		err := l.insert(random)
		end := time.Now()
		latencies.record(end.Sub(begin))
		begin = end
		if err != nil {
			l.failures.Add(1)
			l.first.Do(func() { fmt.Fprintln(os.Stderr, "gocql_loop: first error:", err) })
		}
	}
}

// run ends when every worker has; count 0 means until the deadline.
func (l *loop) run(parallelism int, count int64, duration time.Duration) *histogram {
	l.deadline = time.Now().Add(duration)
	all := make([]histogram, parallelism)
	var workers sync.WaitGroup
	for i := range all {
		share := int64(-1)
		if count > 0 {
			share = count / int64(parallelism)
			if int64(i) < count%int64(parallelism) {
				share++
			}
		}
		workers.Add(1)
		go func(i int) {
			defer workers.Done()
			l.work(time.Now().UnixNano()+int64(i), share, &all[i])
		}(i)
	}
	workers.Wait()
	for i := range all[1:] {
		all[0].add(&all[i+1])
	}
	return &all[0]
}

// cpuSeconds is the user and system time of this process so far.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func measure(l *loop, o options) result {
	l.run(o.parallelism, 0, o.warmup)
	l.failures.Store(0)
	cpu, start := cpuSeconds(), time.Now()
	latencies := l.run(o.parallelism, o.count, o.duration)
	seconds, cpuUs := time.Since(start).Seconds(), (cpuSeconds()-cpu)*1e6
	r := result{
		Operations: latencies.total,
		Errors:     l.failures.Load(),
		Seconds:    seconds,
		MeanUs:     latencies.meanUs(),
		P50Us:      latencies.quantileUs(0.5),
		P99Us:      latencies.quantileUs(0.99),
	}
	if r.Operations > 0 {
		r.OpsPerSecond = float64(r.Operations) / seconds
		r.CPUUsPerOperation = cpuUs / float64(r.Operations)
	}
	return r
}

func run(o options) (result, error) {
	admin, err := connect(o, "")
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", o.server, err)
	}
	defer admin.Close()
	made, err := prepareSchema(admin, o.keyspace)
	if made && !o.save {
		defer func() {
			if err := admin.Query("DROP KEYSPACE IF EXISTS " + o.keyspace).Exec(); err != nil {
				fmt.Fprintln(os.Stderr, "gocql_loop: drop:", err)
			}
		}()
	}
	if err != nil {
		return result{}, err
	}
	session, err := connect(o, o.keyspace)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", o.server, err)
	}
	defer session.Close()
	l := &loop{session: session}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupts
		l.stop.Store(true)
		signal.Stop(interrupts) // a second one ends at once
	}()
	return measure(l, o), nil
}

func main() {
	o, err := parseOptions()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gocql_loop:", err)
		os.Exit(2)
	}
	r, err := run(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gocql_loop:", strings.TrimSpace(err.Error()))
		os.Exit(3)
	}
	line, err := json.Marshal(r)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gocql_loop:", err)
		os.Exit(1)
	}
	fmt.Println(string(line))
	if r.Errors > 0 || r.Operations == 0 {
		os.Exit(1)
	}
}
