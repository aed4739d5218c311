-- Android phones: who may register one, which app is which device, and what each was offered.

-- Typed into the app by a person. Null account: the operator's, for shared phones.
create table phone_tokens (
  id text primary key,
  account_id text references accounts (id),
  mode text not null check (mode = 'live' or mode = 'test'),
  -- SHA-256, as of API keys.
  hash text not null unique,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint
) strict, without rowid;
create index phone_tokens_by_account on phone_tokens (account_id);

-- One registration of an app. A phone that registers anew supersedes its former one: the device stays, its token changes.
create table phones (
  id text primary key,
  device_id text not null references devices (id),
  token_id text not null references phone_tokens (id),
  token_hash text not null unique,
  -- In the path of the addresses that the phone tells of incoming messages.
  hook_hash text not null unique,
  -- Sealed under the instance's secret: the key of the phone's signatures.
  signing_key text not null,
  name text not null,
  -- As the app tells them: masked.
  sims text not null,
  app_version text,
  uses_push integer not null check (uses_push = 0 or uses_push = 1),
  created_at bigint not null,
  updated_at bigint not null,
  -- When its token was first shown: until then nobody knows whether the phone has got it.
  heard_at bigint,
  superseded_at bigint
) strict, without rowid;
create index phones_by_device on phones (device_id);
-- A device has one registration at a time.
create unique index phones_present on phones (device_id) where superseded_at is null;

-- An attempt that a phone holds, and how far the phone says that it is.
create table phone_offers (
  attempt_id text primary key,
  device_id text not null references devices (id),
  phone_id text not null references phones (id),
  account_id text not null,
  mode text not null,
  message_id text not null,
  attempt_number integer not null,
  -- Its place in the queue, which a report finds by it however much is claimed or waits.
  due_at bigint not null,
  sim integer check (sim between 1 and 3),
  -- How many parts the phone made of it, as it says.
  parts integer check (parts > 0),
  offered_at bigint not null,
  last_offered_at bigint not null,
  -- Null until the phone has said that it has it.
  state text check (state = 'pending' or state = 'processed' or state = 'sent' or state = 'delivered' or state = 'failed' or state = 'canceled'),
  reported_at bigint,
  -- What a person or a change of the device wants of it: to be canceled, or to be let go so that another device may have it.
  recall text check (recall = 'cancel' or recall = 'move'),
  recalled_at bigint,
  -- When nothing more is asked of the phone.
  closed_at bigint
) strict, without rowid;
create index phone_offers_open on phone_offers (device_id, offered_at) where closed_at is null;
-- What a device was given in a window of its pace, whatever became of it.
create index phone_offers_by_device on phone_offers (device_id, offered_at);
create index phone_offers_closed on phone_offers (closed_at) where closed_at is not null;
create index phone_offers_recalled on phone_offers (recalled_at, attempt_id) where recall is not null and closed_at is null;
