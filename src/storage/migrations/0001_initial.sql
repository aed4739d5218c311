--sqlite: -- Times are milliseconds since 1970 UTC, ids are TypeIDs, days are whole days since 1970 UTC, truth values are 0 and 1.
--postgres: -- The same tables as migrations/sqlite/0001_initial.sql, in PostgreSQL's words. Times are milliseconds since 1970 UTC, ids are TypeIDs, days are whole days since 1970 UTC, truth values are 0 and 1.
-- CHECKs spell out `a = x or a = y`: for `in (…)` SQLite builds a table at each row, which doubled the cost of every insert and update.
--postgres: -- Every text is collate "C", compared octet by octet: keys are no words of a language, ids of networks least of all, and what has two collations cannot be compared.

create table instance (
  id bigint primary key check (id = 1),
  epoch bigint not null,
  -- Raised by every change of accounts, keys and devices; nodes reload what they keep in memory when it moved.
  directory_version bigint not null,
  created_at bigint not null
);

create table accounts (
  id text primary key,
  name text not null check (length(name) between 1 and 100),
  state text not null check (state = 'active' or state = 'suspended' or state = 'closed'),
  -- Null means the instance's setting, 0 means no limit.
  send_per_minute bigint check (send_per_minute >= 0),
  read_per_minute bigint check (read_per_minute >= 0),
  queue_limit bigint check (queue_limit >= 0),
  created_at bigint not null,
  updated_at bigint not null
) strict;

create table users (
  id text primary key,
  email text not null unique,
  name text not null,
  is_operator bigint not null check (is_operator = 0 or is_operator = 1),
  created_at bigint not null
) strict;

create table account_users (
  account_id text not null references accounts (id),
  user_id text not null references users (id),
  role text not null check (role = 'owner' or role = 'member'),
  primary key (account_id, user_id)
) strict, without rowid;

create table api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  mode text not null check (mode = 'live' or mode = 'test'),
  hash text not null unique check (length(hash) = 64),
  last_four text not null,
  name text not null,
  scopes text not null,
  addresses text,
  daily_cap bigint check (daily_cap > 0),
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
) strict;
create index api_keys_by_account on api_keys (account_id);

create table api_key_usage (
  key_id text not null references api_keys (id),
  day bigint not null,
  parts bigint not null check (parts >= 0),
  primary key (key_id, day)
) strict, without rowid;
create index api_key_usage_by_day on api_key_usage (day);

create table wallets (
  account_id text not null references accounts (id),
  mode text not null check (mode = 'live' or mode = 'test'),
  granted bigint not null check (granted >= 0),
  reserved bigint not null check (reserved >= 0),
  used bigint not null check (used >= 0),
  -- The part of `used` whose messages retention has removed; the sums stay provable.
  used_archived bigint not null default 0 check (used_archived >= 0),
  low_threshold bigint not null check (low_threshold >= 0),
  refilled_day bigint,
  primary key (account_id, mode),
  check (reserved + used <= granted),
  check (used_archived <= used)
) strict, without rowid;

create table usage_days (
  account_id text not null,
  mode text not null,
  day bigint not null,
  parts bigint not null check (parts >= 0),
  primary key (account_id, mode, day),
  foreign key (account_id, mode) references wallets (account_id, mode)
) strict, without rowid;

create table ledger_entries (
  account_id text not null,
  mode text not null,
  id text not null,
  kind text not null check (kind = 'grant' or kind = 'top_up' or kind = 'correction' or kind = 'refill'),
  sms bigint not null check (sms <> 0),
  note text not null,
  -- Of whoever asked for it: the same key again is the same entry.
  request_key text,
  actor text not null,
  created_at bigint not null,
  primary key (account_id, mode, id),
  foreign key (account_id, mode) references wallets (account_id, mode)
) strict, without rowid;
create unique index ledger_entries_by_request on ledger_entries (account_id, mode, request_key) where request_key is not null;

create table devices (
  id text primary key,
  -- Null: shared by the operator with every account.
  account_id text references accounts (id),
  mode text not null check (mode = 'live' or mode = 'test'),
  kind text not null,
  name text not null check (length(name) between 1 and 100),
  state text not null check (state = 'pending' or state = 'enabled' or state = 'disabled' or state = 'retired'),
  senders text not null,
  settings text not null,
  secrets text,
  parts_per_window bigint check (parts_per_window > 0),
  window_seconds bigint check (window_seconds > 0),
  lease_owner text,
  lease_token bigint not null default 0,
  lease_until bigint,
  created_at bigint not null,
  updated_at bigint not null,
  check ((parts_per_window is null) = (window_seconds is null))
) strict;
create index devices_by_account on devices (account_id);

create table device_reports (
  device_id text primary key references devices (id),
  status text not null check (status = 'pending' or status = 'online' or status = 'degraded' or status = 'offline'),
  reasons text not null,
  body text not null,
  reported_at bigint not null
) strict, without rowid;

create table sends (
  account_id text not null,
  id text not null,
  mode text not null check (mode = 'live' or mode = 'test'),
  key_id text not null,
  -- The messages of a send have neighbouring ids; this range finds them without an index of its own.
  first_message_id text not null,
  last_message_id text not null,
  smart_encoding_applied bigint not null check (smart_encoding_applied = 0 or smart_encoding_applied = 1),
  created_at bigint not null,
  primary key (account_id, id)
) strict, without rowid;

create table idempotency_keys (
  account_id text not null,
  mode text not null,
  key text not null,
  fingerprint text not null,
  send_id text not null,
  warnings text not null,
  balance_available bigint not null,
  created_at bigint not null,
  primary key (account_id, mode, key)
) strict, without rowid;
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table messages (
  account_id text not null,
  mode text not null check (mode = 'live' or mode = 'test'),
  id text not null,
  send_id text,
  direction text not null check (direction = 'outbound' or direction = 'inbound'),
  status text not null check (
    status = 'scheduled' or status = 'queued' or status = 'sending' or status = 'sent' or status = 'delivered'
    or status = 'undelivered' or status = 'failed' or status = 'expired' or status = 'canceled'
    or status = 'unconfirmed' or status = 'received'),
  recipient text not null,
  sender text,
  country text,
  category text not null check (category = 'transactional' or category = 'authentication' or category = 'marketing'),
  text text,
  text_redacted bigint not null check (text_redacted = 0 or text_redacted = 1),
  encoding text not null check (encoding = 'gsm7' or encoding = 'ucs2'),
  units bigint not null,
  parts bigint not null check (parts >= 1),
  parts_sent bigint not null check (parts_sent between 0 and parts),
  held bigint not null check (held >= 0),
  charged bigint not null check (charged between 0 and held),
  cost_state text not null check (
    cost_state = 'held' or cost_state = 'charged' or cost_state = 'partial' or cost_state = 'released'
    or cost_state = 'none'),
  on_unknown text not null check (on_unknown = 'stop' or on_unknown = 'resend_once'),
  device_id text,
  receipt_expected bigint check (receipt_expected = 0 or receipt_expected = 1),
  error_code text,
  network_code text,
  attempts bigint not null check (attempts >= 0),
  possible_duplicate bigint not null check (possible_duplicate = 0 or possible_duplicate = 1),
  corrected bigint not null default 0 check (corrected = 0 or corrected = 1),
  sequence bigint not null default 1,
  client_reference text,
  metadata text not null,
  created_at bigint not null,
  send_at bigint,
  expires_at bigint,
  sent_at bigint,
  delivered_at bigint,
  finalized_at bigint,
  -- The last change since the message became final; null until then. Erasing a text does not move it.
  settled_at bigint,
  updated_at bigint not null,
  -- UCS-2 was asked for although GSM-7 has every character: only devices that are told the encoding may send it.
  encoding_forced bigint not null default 0 check (encoding_forced = 0 or encoding_forced = 1),
  primary key (account_id, mode, id),
  check ((finalized_at is null) = (settled_at is null)),
  check (finalized_at is not null or (status = 'scheduled' or status = 'queued' or status = 'sending' or status = 'sent')),
  check (finalized_at is null or (status <> 'scheduled' and status <> 'queued' and status <> 'sending')),
  check (finalized_at is null or cost_state <> 'held'),
  check ((status <> 'sent' and status <> 'delivered' and status <> 'undelivered') or corrected = 1 or charged > 0)
--sqlite: ) strict;
--postgres: )
--postgres: -- Half of each page is left for new versions of its rows, so that changes of state stay on the page and touch no index.
--postgres: with (fillfactor = 50);
create index messages_by_recipient on messages (account_id, mode, recipient, id);
create index messages_by_reference on messages (account_id, mode, client_reference, id) where client_reference is not null;
create index messages_by_settlement on messages (account_id, mode, settled_at, id) where settled_at is not null;

create table attempts (
  account_id text not null,
  mode text not null,
  message_id text not null,
  number bigint not null check (number >= 1),
  id text not null,
  device_id text not null,
  fence bigint not null,
  lease_token bigint,
  -- Whether the log of hand-overs of the process with this fence tells if it has left.
  is_logged bigint not null default 0 check (is_logged = 0 or is_logged = 1),
  state text not null check (state = 'handing_over' or state = 'accepted' or state = 'refused' or state = 'unknown'),
  parts_sent bigint not null default 0,
  network_ids text,
  outcome text,
  network_code text,
  started_at bigint not null,
  ended_at bigint,
  primary key (account_id, mode, message_id, number),
  check ((state = 'handing_over') = (ended_at is null))
) strict, without rowid;
create unique index attempts_by_id on attempts (id, account_id);
-- A message is in the hands of one device at a time.
create unique index attempts_open on attempts (account_id, mode, message_id) where ended_at is null;

create table queue (
  route_key text not null,
  account_id text not null,
  priority bigint not null check (priority between 0 and 2),
  due_at bigint not null,
  message_id text not null,
  mode text not null,
  parts bigint not null,
  expires_at bigint not null,
  -- The last change of the message, as long as it waits: history finds by it what changed without a look at the messages.
  changed_at bigint not null,
  -- Refusals that count towards the limit of attempts.
  refusals bigint not null default 0,
  claimed_by text,
  restore_hold bigint not null default 0 check (restore_hold = 0 or restore_hold = 1),
  primary key (route_key, account_id, priority, due_at, message_id)
) strict, without rowid;

create table queue_totals (
  account_id text not null,
  mode text not null,
  route_key text not null,
  messages bigint not null check (messages >= 0),
  parts bigint not null check (parts >= 0),
  -- Nothing that waits here expires before this instant.
  next_expiry_at bigint not null,
  primary key (account_id, mode, route_key)
) strict, without rowid;

create index queue_totals_by_expiry on queue_totals (next_expiry_at);

create table receipts_expected (
  network_id text not null,
  device_id text not null,
  account_id text not null,
  mode text not null,
  message_id text not null,
  attempt_number bigint not null,
  -- How many parts the message had on the wire, each with a receipt of its own.
  wire_parts bigint not null,
  sent_at bigint not null,
  -- Set when the wait was given up; kept a while longer for a late receipt.
  closed_at bigint,
  primary key (network_id, device_id)
) strict, without rowid;
-- Apart, so that whoever looks for those that are waited for never walks over the days of those that were given up.
create index receipts_expected_open on receipts_expected (account_id, mode, sent_at, message_id) where closed_at is null;
create index receipts_expected_given_up on receipts_expected (account_id, mode, sent_at, message_id) where closed_at is not null;
create index receipts_expected_closed on receipts_expected (closed_at) where closed_at is not null;

create table parked_receipts (
  network_id text not null,
  device_id text not null,
  -- Which reading of the id this is: 0 as it came, then what else it may mean.
  reading bigint not null,
  body text not null,
  received_at bigint not null,
  primary key (network_id, device_id, reading)
) strict, without rowid;
create index parked_receipts_by_age on parked_receipts (received_at);
-- Each once: looked through when the answer to a submit was lost.
create index parked_receipts_by_device on parked_receipts (device_id, received_at) where reading = 0;

create table inbound_seen (
  device_id text not null,
  fingerprint text not null,
  received_at bigint not null,
  primary key (device_id, fingerprint)
) strict, without rowid;
create index inbound_seen_by_age on inbound_seen (received_at);

-- Pieces of long received messages. Those of a message that was joined stay a while, so that one that comes again is known.
create table inbound_fragments (
  device_id text not null,
  sender text not null,
  recipient text not null,
  reference bigint not null,
  total bigint not null,
  part bigint not null check (part between 1 and total),
  body text not null,
  account_id text,
  mode text not null check (mode = 'live' or mode = 'test'),
  country text,
  in_reply_to text,
  fingerprint text not null,
  received_at bigint not null,
  joined bigint not null check (joined = 0 or joined = 1),
  primary key (device_id, sender, recipient, reference, total, part)
) strict, without rowid;
create index inbound_fragments_by_age on inbound_fragments (received_at);
create index inbound_fragments_of_device on inbound_fragments (device_id, received_at);

create table opt_outs (
  account_id text not null,
  mode text not null,
  recipient text not null,
  created_at bigint not null,
  forget_at bigint,
  primary key (account_id, mode, recipient)
) strict, without rowid;
create index opt_outs_ended on opt_outs (forget_at) where forget_at is not null;

create table audit_log (
  id text primary key,
  account_id text,
  actor text not null,
  action text not null,
  detail text not null,
  created_at bigint not null
) strict, without rowid;
create index audit_log_by_account on audit_log (account_id, id);
