-- What rules of routes came out to for messages: devices in order, and what opens the next ones, as JSON. The ID says what is in it.
create table ways (
  id text primary key,
  stages text not null,
  created_at bigint not null
) strict;
-- Which way messages go; the first rule that matches counts, those of an account before those of the operator (account_id null).
create table route_rules (
  id text primary key,
  account_id text references accounts (id),
  place bigint not null,
  name text not null,
  -- JSON: what a message must have.
  conditions text not null,
  -- JSON: the stages of the way; null: messages are refused.
  stages text,
  created_at bigint not null,
  updated_at bigint not null
) strict;
create index route_rules_of_account on route_rules (account_id) where account_id is not null;
-- JSON: the digits with which numbers begin that a device sends to, or does not; null: any.
alter table devices add column destinations text;
-- The ID of a way, or the device that the sender chose; null: the usual way. It is part of the route.
alter table messages add column way text;
-- Why the device got the message, where not as one of the first stage.
alter table attempts add column why text;
