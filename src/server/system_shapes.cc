#include "server/system_shapes.h"

namespace cqlperf::server {
namespace {

constexpr SystemShape kShapes[] = {
    {"system", "built_views", "4b3c50a9-ea87-3d76-9101-6dbc9c38494a", "built views",
     SystemTable::kEmpty, "keyspace_name text P; view_name text C; status_replicated boolean"},
    {"system", "local", "7ad54392-bcdd-35a6-8417-4e047860b377", "information about the local node",
     SystemTable::kLocal,
     "key text P; bootstrapped text; broadcast_address inet; broadcast_port int; "
     "cluster_name text; cql_version text; data_center text; gossip_generation int; "
     "host_id uuid; listen_address inet; listen_port int; native_protocol_version text; "
     "partitioner text; rack text; release_version text; rpc_address inet; rpc_port int; "
     "schema_version uuid; tokens set<text>; truncated_at map<uuid, blob>"},
    {"system", "peers", "37f71aca-7dc2-383b-a706-72528af04d4f",
     "information about known peers in the cluster", SystemTable::kPeers,
     "peer inet P; data_center text; host_id uuid; preferred_ip inet; rack text; "
     "release_version text; rpc_address inet; schema_version uuid; tokens set<text>"},
    {"system", "peers_v2", "c4325fbb-8e5e-3baf-bd07-0f9250ed818e",
     "information about known peers in the cluster", SystemTable::kPeersV2,
     "peer inet P; peer_port int C; data_center text; host_id uuid; native_address inet; "
     "native_port int; preferred_ip inet; preferred_port int; rack text; "
     "release_version text; schema_version uuid; tokens set<text>"},
    {"system", "prepared_statements", "18a9c257-6a0c-3841-ba71-8cd529849fef", "prepared statements",
     SystemTable::kEmpty, "prepared_id blob P; logged_keyspace text; query_string text"},
    {"system", "size_estimates", "618f817b-005f-3678-b8a4-53f3930b8e86",
     "per-table primary range size estimates, table is deprecated in favor of table_estimates",
     SystemTable::kEmpty,
     "keyspace_name text P; table_name text C; range_start text C; range_end text C; "
     "mean_partition_size bigint; partitions_count bigint"},
    {"system", "table_estimates", "176c39cd-b93d-33a5-a218-8eb06a56f66e",
     "per-table range size estimates", SystemTable::kEmpty,
     "keyspace_name text P; table_name text C; range_type text C; range_start text C; "
     "range_end text C; mean_partition_size bigint; partitions_count bigint"},
    {"system_schema", "aggregates", "924c5587-2e3a-345b-b10c-12f37c1ba895",
     "user defined aggregate definitions", SystemTable::kEmpty,
     "keyspace_name text P; aggregate_name text C; argument_types frozen<list<text>> C; "
     "final_func text; initcond text; return_type text; state_func text; state_type text"},
    {"system_schema", "column_masks", "738cc5ed-0168-3268-b9d1-853d4bc278af",
     "column dynamic data masks", SystemTable::kEmpty,
     "keyspace_name text P; table_name text C; column_name text C; "
     "function_argument_nulls frozen<list<boolean>>; "
     "function_argument_types frozen<list<text>>; "
     "function_argument_values frozen<list<text>>; function_keyspace text; "
     "function_name text"},
    {"system_schema", "columns", "24101c25-a2ae-3af7-87c1-b40ee1aca33f", "column definitions",
     SystemTable::kSchemaColumns,
     "keyspace_name text P; table_name text C; column_name text C; clustering_order text; "
     "column_name_bytes blob; kind text; position int; type text"},
    {"system_schema", "dropped_columns", "5e7583b5-f3f4-3af1-9a39-b7e1d6f5f11f",
     "dropped column registry", SystemTable::kEmpty,
     "keyspace_name text P; table_name text C; column_name text C; dropped_time timestamp; "
     "kind text; type text"},
    {"system_schema", "functions", "96489b79-80be-3e14-a701-66a0b9159450",
     "user defined function definitions", SystemTable::kEmpty,
     "keyspace_name text P; function_name text C; argument_types frozen<list<text>> C; "
     "argument_names frozen<list<text>>; body text; called_on_null_input boolean; "
     "language text; return_type text"},
    {"system_schema", "indexes", "0feb57ac-311f-382f-ba6d-9024d305702f",
     "secondary index definitions", SystemTable::kSchemaIndexes,
     "keyspace_name text P; table_name text C; index_name text C; kind text; "
     "options frozen<map<text, text>>"},
    {"system_schema", "keyspaces", "abac5682-dea6-31c5-b535-b3d6cffd0fb6", "keyspace definitions",
     SystemTable::kSchemaKeyspaces,
     "keyspace_name text P; durable_writes boolean; replication frozen<map<text, text>>"},
    {"system_schema", "tables", "afddfb9d-bc1e-3068-8056-eed6c302ba09", "table definitions",
     SystemTable::kSchemaTables,
     "keyspace_name text P; table_name text C; additional_write_policy text; "
     "allow_auto_snapshot boolean; bloom_filter_fp_chance double; "
     "caching frozen<map<text, text>>; cdc boolean; comment text; "
     "compaction frozen<map<text, text>>; compression frozen<map<text, text>>; "
     "crc_check_chance double; dclocal_read_repair_chance double; default_time_to_live int; "
     "extensions frozen<map<text, blob>>; flags frozen<set<text>>; gc_grace_seconds int; "
     "id uuid; incremental_backups boolean; max_index_interval int; memtable text; "
     "memtable_flush_period_in_ms int; min_index_interval int; read_repair text; "
     "read_repair_chance double; speculative_retry text"},
    {"system_schema", "triggers", "4df70b66-6b05-3251-95a1-32b54005fd48", "trigger definitions",
     SystemTable::kEmpty,
     "keyspace_name text P; table_name text C; trigger_name text C; "
     "options frozen<map<text, text>>"},
    {"system_schema", "types", "5a8b1ca8-6602-3f77-a045-9273d308917a",
     "user defined type definitions", SystemTable::kEmpty,
     "keyspace_name text P; type_name text C; field_names frozen<list<text>>; "
     "field_types frozen<list<text>>"},
    {"system_schema", "views", "9786ac1c-dd58-3201-a7cd-ad556410c985", "view definitions",
     SystemTable::kEmpty,
     "keyspace_name text P; view_name text C; additional_write_policy text; "
     "allow_auto_snapshot boolean; base_table_id uuid; base_table_name text; "
     "bloom_filter_fp_chance double; caching frozen<map<text, text>>; cdc boolean; "
     "comment text; compaction frozen<map<text, text>>; "
     "compression frozen<map<text, text>>; crc_check_chance double; "
     "dclocal_read_repair_chance double; default_time_to_live int; "
     "extensions frozen<map<text, blob>>; gc_grace_seconds int; id uuid; "
     "include_all_columns boolean; incremental_backups boolean; max_index_interval int; "
     "memtable text; memtable_flush_period_in_ms int; min_index_interval int; "
     "read_repair text; read_repair_chance double; speculative_retry text; where_clause text"},
    {"system_virtual_schema", "columns", "", "virtual column definitions",
     SystemTable::kVirtualColumns,
     "keyspace_name text P; table_name text C; column_name text C; clustering_order text; "
     "column_name_bytes blob; kind text; position int; type text"},
    {"system_virtual_schema", "keyspaces", "", "virtual keyspace definitions",
     SystemTable::kVirtualKeyspaces, "keyspace_name text P"},
    {"system_virtual_schema", "tables", "", "virtual table definitions",
     SystemTable::kVirtualTables, "keyspace_name text P; table_name text C; comment text"},
    {"system_auth", "role_members", "0ecdaa87-f8fb-3e60-88d1-74fb36fe5c0d",
     "role memberships lookup table", SystemTable::kEmpty, "role text P; member text C"},
    {"system_auth", "role_permissions", "3afbe79f-2194-31a7-add7-f5ab90d8ec9c",
     "permissions granted to db roles", SystemTable::kEmpty,
     "role text P; resource text C; permissions set<text>"},
    {"system_auth", "roles", "5bc52802-de25-35ed-aeab-188eecebb090", "role definitions",
     SystemTable::kEmpty,
     "role text P; can_login boolean; is_superuser boolean; member_of set<text>; "
     "salted_hash text"},
    {"system_traces", "events", "8826e8e9-e16a-3728-8753-3bc1fc713c25", "tracing events",
     SystemTable::kEmpty,
     "session_id uuid P; event_id timeuuid C; activity text; source inet; "
     "source_elapsed int; source_port int; thread text"},
    {"system_traces", "sessions", "c5e99f16-8677-3914-b17e-960613512345", "tracing sessions",
     SystemTable::kEmpty,
     "session_id uuid P; client inet; command text; coordinator inet; coordinator_port int; "
     "duration int; parameters map<text, text>; request text; started_at timestamp"},
};

}  // namespace

std::span<const SystemShape> system_shapes() { return kShapes; }

}  // namespace cqlperf::server
