-- Links that a phone opens to show that it reaches this instance, by the hash of their nonce; kept for a day.
create table reach_checks (
  nonce_hash text not null primary key check (length(nonce_hash) = 64),
  created_at bigint not null,
  opened_at bigint,
  opened_from text check (length(opened_from) <= 45),
  check ((opened_at is null) = (opened_from is null))
) strict;
create index reach_checks_by_age on reach_checks (created_at);
-- A kind more: SQLite has no other way to a new CHECK of a column that does not rebuild the table, on which mails depend.
drop index alerts_open;
drop index alerts_by_subject;
alter table alerts rename column kind to former_kind;
alter table alerts add column kind text not null default 'device_offline' check (
  kind = 'device_offline' or kind = 'balance_low' or kind = 'balance_exhausted' or kind = 'webhook_disabled'
  or kind = 'unusual_failures' or kind = 'pumping_paused' or kind = 'key_expiring' or kind = 'certificate_ending');
update alerts set kind = former_kind;
alter table alerts drop column former_kind;
create unique index alerts_open on alerts (kind, subject) where ended_at is null;
create index alerts_by_subject on alerts (kind, subject, began_at);
