-- Stops rolling upgrades: nodes of the version before use what is dropped here, and record no changes.
-- Which messages a transaction changed, in the order of the transactions: `updated_after` and the console read it. Each row has up to a hundred
-- messages, each with the count of its changes so far; one that was changed again stands in a later row too.
create table message_changes (
  account_id text not null,
  mode text not null check (mode = 'live' or mode = 'test'),
  -- The time of the transaction in microseconds since 1970 UTC, or one more than the last number.
  number bigint not null,
  part bigint not null,
  messages text not null,
  primary key (account_id, mode, number, part)
) strict, without rowid;

-- The number of the last transaction that changed messages.
alter table instance add column last_change bigint not null default 0;
-- How far clocks were behind the last number at most, where that is more than clocks of nodes differ: IDs of new messages were that far ahead.
alter table instance add column clock_lag_ms bigint not null default 0;
update instance set last_change = coalesce((select max(updated_at) from messages), 0) * 1000 + 999;

-- What was changed until now.
--sqlite: insert into message_changes (account_id, mode, number, part, messages)
--sqlite:   select account_id, mode, updated_at * 1000, slice, group_concat(substr(id, 5) || ':' || sequence, ' ') from (
--sqlite:     select account_id, mode, updated_at, id, sequence, (row_number() over (partition by account_id, mode, updated_at order by id) - 1) / 100 as slice from messages)
--sqlite:   group by account_id, mode, updated_at, slice;
--postgres: insert into message_changes (account_id, mode, number, part, messages)
--postgres:   select account_id, mode, updated_at * 1000, slice, string_agg(substr(id, 5) || ':' || sequence, ' ' order by id) from (
--postgres:     select account_id, mode, updated_at, id, sequence, (row_number() over (partition by account_id, mode, updated_at order by id) - 1) / 100 as slice from messages) as numbered
--postgres:   group by account_id, mode, updated_at, slice;

-- What changes were found by before.
drop index messages_by_settlement;
drop index deferred_by_change;
drop index queue_in_place;
alter table deferred drop column changed_at;
alter table queue drop column changed_at;
alter table instance drop column history_until;
