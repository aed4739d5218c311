-- The console: who signs in to it, and what it keeps for its pages.

-- Tables of Better Auth (columns in its own spelling, dates as ISO 8601 text). An auth user has the id of the user that it signs in.
create table auth_users (
  "id" text primary key references users (id),
  "name" text not null,
  "email" text not null unique,
  "emailVerified" integer not null,
  "image" text,
  "createdAt" text not null,
  "updatedAt" text not null,
  "twoFactorEnabled" integer
) strict;

create table auth_sessions (
  "id" text primary key,
  "expiresAt" text not null,
  "token" text not null unique,
  "createdAt" text not null,
  "updatedAt" text not null,
  "ipAddress" text,
  "userAgent" text,
  "userId" text not null references auth_users ("id") on delete cascade
) strict;
create index auth_sessions_by_user on auth_sessions ("userId");
create index auth_sessions_by_expiry on auth_sessions ("expiresAt");

create table auth_credentials (
  "id" text primary key,
  "accountId" text not null,
  "providerId" text not null,
  "userId" text not null references auth_users ("id") on delete cascade,
  "accessToken" text,
  "refreshToken" text,
  "idToken" text,
  "accessTokenExpiresAt" text,
  "refreshTokenExpiresAt" text,
  "scope" text,
  "password" text,
  "createdAt" text not null,
  "updatedAt" text not null
) strict;
create index auth_credentials_by_user on auth_credentials ("userId");

create table auth_verifications (
  "id" text primary key,
  "identifier" text not null,
  "value" text not null,
  "expiresAt" text not null,
  "createdAt" text not null,
  "updatedAt" text not null
) strict;
create index auth_verifications_by_identifier on auth_verifications ("identifier");
create index auth_verifications_by_expiry on auth_verifications ("expiresAt");

create table auth_two_factors (
  "id" text primary key,
  "secret" text not null,
  "backupCodes" text not null,
  "userId" text not null references auth_users ("id") on delete cascade,
  "verified" integer,
  "failedVerificationCount" integer,
  "lockedUntil" text
) strict;
create index auth_two_factors_by_user on auth_two_factors ("userId");

-- Links that work once, of which only the SHA-256 of the token is kept: to set up or reset a password (of a user), and invitations
-- (of an address) to an account, or to open an account of one's own when none is named.
create table one_time_links (
  id text primary key,
  hash text not null unique check (length(hash) = 64),
  purpose text not null check (purpose = 'set-up' or purpose = 'reset' or purpose = 'invitation'),
  email text not null,
  user_id text references users (id),
  account_id text references accounts (id),
  role text check (role = 'owner' or role = 'member'),
  actor text not null,
  created_at bigint not null,
  expires_at bigint not null check (expires_at > created_at),
  used_at bigint,
  revoked_at bigint,
  check ((purpose = 'invitation') = (user_id is null)),
  check ((account_id is null) = (role is null)),
  check (purpose = 'invitation' or account_id is null),
  check (used_at is null or revoked_at is null)
) strict;
create index one_time_links_by_user on one_time_links (user_id);
create index one_time_links_by_account on one_time_links (account_id, id);
create index one_time_links_by_expiry on one_time_links (expires_at);

-- Devices: whether one takes nothing new while it ends what it holds, and what it was, to show its past.
alter table devices add column draining integer not null default 0 check (draining = 0 or draining = 1);

-- A row for each change of what a device was said to be. The present one has no end.
create table device_states (
  device_id text not null references devices (id),
  from_at bigint not null,
  until_at bigint check (until_at > from_at),
  status text not null check (status = 'pending' or status = 'online' or status = 'degraded' or status = 'offline' or status = 'disabled'),
  -- JSON array of texts, worst first.
  reasons text not null,
  primary key (device_id, from_at)
) strict, without rowid;
create unique index device_states_present on device_states (device_id) where until_at is null;
create index device_states_past on device_states (until_at) where until_at is not null;

-- What devices measured, now and then.
create table device_samples (
  device_id text not null references devices (id),
  at bigint not null,
  battery integer check (battery between 0 and 100),
  charging integer check (charging = 0 or charging = 1),
  -- How it reached us, such as wifi.
  network text,
  primary key (device_id, at)
) strict, without rowid;
create index device_samples_by_age on device_samples (at);

-- From when to when a server ran: what nobody watched is not known. One row for each start.
create table server_runs (
  epoch bigint primary key,
  started_at bigint not null,
  seen_at bigint not null check (seen_at >= started_at)
) strict, without rowid;
create index server_runs_by_age on server_runs (seen_at);

-- How much was sent and how fast, counted as it happens, so that 90 days of a busy account are read in milliseconds. Nothing here
-- goes with the messages that it counts: neither erasing nor retention changes what was.
create table traffic (
  account_id text not null,
  mode text not null,
  grain text not null check (grain = 'minutes5' or grain = 'hours6'),
  -- Where the five minutes or the six hours begin in which the messages were accepted.
  bucket bigint not null,
  -- Outbound messages; those that are in none of the states below still wait or are being handed over.
  accepted integer not null default 0 check (accepted >= 0),
  received integer not null default 0 check (received >= 0),
  sent integer not null default 0 check (sent >= 0),
  delivered integer not null default 0 check (delivered >= 0),
  undelivered integer not null default 0 check (undelivered >= 0),
  failed integer not null default 0 check (failed >= 0),
  expired integer not null default 0 check (expired >= 0),
  canceled integer not null default 0 check (canceled >= 0),
  unconfirmed integer not null default 0 check (unconfirmed >= 0),
  -- How many of them retention has removed since; the sums stay provable. Kept for six hours only.
  archived integer not null default 0 check (archived >= 0),
  primary key (account_id, mode, grain, bucket)
) strict, without rowid;

-- How long messages took, in steps of a logarithmic scale (src/messages/time-scale.ts).
create table traffic_times (
  account_id text not null,
  mode text not null,
  grain text not null check (grain = 'minutes5' or grain = 'hours6'),
  bucket bigint not null,
  measure text not null check (measure = 'to_sent' or measure = 'to_delivered'),
  step integer not null check (step >= 0),
  messages integer not null check (messages > 0),
  primary key (account_id, mode, grain, bucket, measure, step)
) strict, without rowid;
