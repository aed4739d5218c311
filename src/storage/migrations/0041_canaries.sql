-- Messages between two devices of one owner that show whether an SMS arrives (decision 70). They are no messages: they cost nothing, and are in
-- no history.
create table canaries (
  id text primary key,
  -- Null: of the operator, between shared devices.
  account_id text references accounts (id),
  from_device text not null references devices (id),
  to_device text not null references devices (id),
  -- The number of the receiving device.
  recipient text not null,
  sender text,
  sim bigint check (sim >= 1),
  every_ms bigint not null check (every_ms > 0),
  -- One node takes each run, by moving this.
  next_at bigint not null,
  lost_in_row bigint not null default 0,
  created_at bigint not null
) strict, without rowid;
create index canaries_due on canaries (next_at);
create index canaries_by_account on canaries (account_id);

create table canary_runs (
  -- The ID that its device gets, as that of an attempt.
  id text primary key,
  canary_id text not null references canaries (id),
  from_device text not null,
  to_device text not null,
  -- In the text; what arrives is found by it.
  code text not null unique,
  begun_at bigint not null,
  -- A phone has said that it has it; a link has answered.
  taken_at bigint,
  ended_at bigint,
  state text not null check (state = 'open' or state = 'arrived' or state = 'lost'),
  reason text,
  network_id text,
  plan_counts text
) strict, without rowid;
create index canary_runs_by_canary on canary_runs (canary_id, begun_at);
create index canary_runs_open on canary_runs (from_device, begun_at) where state = 'open';
-- A receipt for a run is for nothing else.
create index canary_runs_by_network_id on canary_runs (from_device, network_id) where network_id is not null;
