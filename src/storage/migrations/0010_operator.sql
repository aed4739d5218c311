-- The operator's interface for programs, and alerts for people.

-- Tokens of the operator's interface (/operator/v1), of which only the SHA-256 is kept. One that may write may read too.
create table operator_tokens (
  id text primary key,
  hash text not null unique check (length(hash) = 64),
  last_four text not null,
  name text not null check (length(name) between 1 and 100),
  scope text not null check (scope = 'read' or scope = 'write'),
  actor text not null,
  created_at bigint not null,
  expires_at bigint check (expires_at > created_at),
  revoked_at bigint,
  last_used_at bigint
) strict;

-- Accounts that were opened over that interface under an Idempotency-Key: asked for again, none is opened again.
create table operator_requests (
  request_key text primary key,
  fingerprint text not null check (length(fingerprint) = 64),
  account_id text not null references accounts (id),
  created_at bigint not null
) strict;
create index operator_requests_by_account on operator_requests (account_id);

-- What people are told of: one row from the begin of a state to its end. `subject` is what it is about, such as the id of a device.
create table alerts (
  id text primary key,
  kind text not null check (
    kind = 'device_offline' or kind = 'balance_low' or kind = 'balance_exhausted' or kind = 'webhook_disabled'
    or kind = 'unusual_failures' or kind = 'pumping_paused' or kind = 'key_expiring'),
  subject text not null,
  -- Null: it concerns the operators.
  account_id text references accounts (id),
  mode text check (mode = 'live' or mode = 'test'),
  -- What it is called, as of a device or an endpoint, and what was measured, as sentences for people.
  name text not null,
  said text not null,
  began_at bigint not null,
  ended_at bigint check (ended_at >= began_at)
) strict;
-- A state has one alert while it lasts, whichever node sees it.
create unique index alerts_open on alerts (kind, subject) where ended_at is null;
create index alerts_ended on alerts (ended_at) where ended_at is not null;
create index alerts_by_subject on alerts (kind, subject, began_at);
create index alerts_by_account on alerts (account_id, began_at);

-- Mails that tell of the begin and the end of an alert, to each person once.
create table alert_mails (
  alert_id text not null references alerts (id) on delete cascade,
  phase text not null check (phase = 'began' or phase = 'ended'),
  user_id text not null references users (id),
  due_at bigint not null,
  tries bigint not null default 0 check (tries >= 0),
  -- When the mail server took it, or it was given up.
  done_at bigint,
  primary key (alert_id, phase, user_id)
) strict, without rowid;
create index alert_mails_due on alert_mails (due_at) where done_at is null;
create index alert_mails_by_user on alert_mails (user_id);

-- Which kinds a person does not want mails of; who says nothing gets all.
create table alert_mutes (
  user_id text not null references users (id),
  kind text not null,
  primary key (user_id, kind)
) strict, without rowid;
