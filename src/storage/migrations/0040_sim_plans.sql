-- What the contract of a SIM includes, and what of it was used (decision 70). SIMs are named by their slots, from 1.
create table sim_plans (
  device_id text not null references devices (id),
  sim bigint not null check (sim >= 1),
  parts_per_day bigint check (parts_per_day > 0),
  parts_per_month bigint check (parts_per_month > 0),
  numbers_per_month bigint check (numbers_per_month > 0),
  month_starts bigint not null check (month_starts between 1 and 31),
  zone text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (device_id, sim)
) strict, without rowid;

-- Days are those of the SIM's zone, as days since 1970. Nothing is checked here: what is returned to a plan must never keep an outcome from being
-- stored.
create table sim_usage (
  device_id text not null,
  sim bigint not null,
  day bigint not null,
  parts bigint not null,
  messages bigint not null,
  -- Numbers that were new in their month on this day.
  numbers bigint not null,
  primary key (device_id, sim, day)
) strict, without rowid;
create index sim_usage_by_day on sim_usage (day);

-- The numbers that a SIM sent to, each as 8 octets of an HMAC, with the day on which it was new in its month.
create table sim_numbers (
  device_id text not null,
  sim bigint not null,
  number_key text not null,
  day bigint not null,
  messages bigint not null,
  primary key (device_id, sim, number_key)
) strict, without rowid;
create index sim_numbers_by_day on sim_numbers (day);
create index sim_numbers_by_number on sim_numbers (number_key);

-- Where an attempt was counted; null if its device had no plan.
alter table attempts add column plan_counts text;

-- Two kinds of alerts more. SQLite cannot change the CHECK of a column: the column is replaced, since a new table would remove the mails.
--postgres: alter table alerts drop constraint alerts_kind_check, add constraint alerts_kind_check check (kind = 'device_offline' or kind = 'balance_low' or kind = 'balance_exhausted' or kind = 'webhook_disabled' or kind = 'unusual_failures' or kind = 'pumping_paused' or kind = 'key_expiring' or kind = 'certificate_ending' or kind = 'messages_stranded' or kind = 'plan_limit' or kind = 'canary_lost');
--sqlite: drop index alerts_open;
--sqlite: drop index alerts_by_subject;
--sqlite: alter table alerts rename column kind to former_kind;
--sqlite: alter table alerts add column kind text not null default 'device_offline' check (kind = 'device_offline' or kind = 'balance_low' or kind = 'balance_exhausted' or kind = 'webhook_disabled' or kind = 'unusual_failures' or kind = 'pumping_paused' or kind = 'key_expiring' or kind = 'certificate_ending' or kind = 'messages_stranded' or kind = 'plan_limit' or kind = 'canary_lost');
--sqlite: update alerts set kind = former_kind;
--sqlite: alter table alerts drop column former_kind;
--sqlite: create unique index alerts_open on alerts (kind, subject) where ended_at is null;
--sqlite: create index alerts_by_subject on alerts (kind, subject, began_at);
