-- Webhooks: where an account wants to be told, what happened, whom it is told, and what came of each try.
create table webhook_endpoints (
  account_id text not null references accounts (id),
  id text not null,
  url text not null,
  -- Null: events of both modes.
  mode text check (mode = 'live' or mode = 'test'),
  state text not null check (state = 'enabled' or state = 'disabled' or state = 'removed'),
  disabled_because text check (disabled_because = 'person' or disabled_because = 'gone' or disabled_because = 'failing'),
  -- Sealed under the instance's secret.
  secret text not null,
  -- Signs beside the present one until then.
  previous_secret text,
  previous_until bigint,
  -- The first failure since the last success.
  failing_since bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  check ((disabled_because is null) = (state <> 'disabled')),
  check ((previous_secret is null) = (previous_until is null))
) strict, without rowid;

create unique index webhook_endpoints_by_id on webhook_endpoints (id);

-- The events that an endpoint is told of; one without a row is told of all.
create table webhook_endpoint_types (
  account_id text not null,
  endpoint_id text not null,
  type text not null,
  primary key (account_id, endpoint_id, type),
  foreign key (account_id, endpoint_id) references webhook_endpoints (account_id, id)
) strict, without rowid;

-- What happened, as it stood then. Of a message that which moves; what stays, its text among it, is read from the message when it is told.
create table webhook_events (
  account_id text not null,
  -- Tells when it happened; the same happening always has the same.
  id text not null,
  type text not null,
  mode text not null check (mode = 'live' or mode = 'test'),
  at bigint not null,
  sequence bigint not null,
  previous_status text,
  correction bigint not null check (correction = 0 or correction = 1),
  message_id text,
  status text,
  parts_sent bigint,
  charged bigint,
  cost_state text,
  device_id text,
  receipt_expected bigint check (receipt_expected = 0 or receipt_expected = 1),
  error_code text,
  network_code text,
  attempts bigint,
  possible_duplicate bigint check (possible_duplicate = 0 or possible_duplicate = 1),
  sent_at bigint,
  delivered_at bigint,
  finalized_at bigint,
  -- Of what is no message: a JSON object with neither numbers nor texts in it, and the number that it is about.
  facts text,
  recipient text,
  primary key (account_id, id),
  check ((message_id is null) = (status is null)),
  check (message_id is null or facts is null)
) strict, without rowid;
create index webhook_events_by_message on webhook_events (account_id, message_id) where message_id is not null;
create index webhook_events_by_recipient on webhook_events (recipient) where recipient is not null;

create table webhook_deliveries (
  account_id text not null,
  endpoint_id text not null,
  event_id text not null,
  -- When it is tried next; while it is being tried, when whoever tries it must have said what came of it.
  due_at bigint not null,
  -- Counts who took it: what came of a try is heard from the last one alone.
  token bigint not null default 0 check (token >= 0),
  -- Tries that failed since it was asked for.
  failures bigint not null default 0 check (failures >= 0),
  -- Null while it is to be tried.
  outcome text check (outcome = 'delivered' or outcome = 'given_up' or outcome = 'dropped'),
  closed_at bigint,
  primary key (account_id, endpoint_id, event_id),
  check ((outcome is null) = (closed_at is null))
) strict, without rowid;
create index webhook_deliveries_open on webhook_deliveries (endpoint_id, due_at, event_id) where closed_at is null;

-- The log: each try, with as much of the answer as is kept.
create table webhook_attempts (
  account_id text not null,
  endpoint_id text not null,
  event_id text not null,
  token bigint not null,
  at bigint not null,
  duration_ms bigint not null check (duration_ms >= 0),
  status bigint,
  -- Why there was no answer.
  failure text,
  answer text,
  primary key (account_id, endpoint_id, event_id, token),
  check ((status is null) <> (failure is null))
) strict, without rowid;
