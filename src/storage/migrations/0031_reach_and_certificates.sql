-- Links that a phone opens to show that it reaches this instance, by the hash of their nonce; kept for a day.
create table reach_checks (
  nonce_hash text not null primary key check (length(nonce_hash) = 64),
  created_at bigint not null,
  opened_at bigint,
  opened_from text check (length(opened_from) <= 45),
  check ((opened_at is null) = (opened_from is null))
) strict;
create index reach_checks_by_age on reach_checks (created_at);
-- A kind more. SQLite cannot change the CHECK of a column: the column is replaced, since a new table would remove the mails.
--postgres: alter table alerts drop constraint alerts_kind_check, add constraint alerts_kind_check check (kind = 'device_offline' or kind = 'balance_low' or kind = 'balance_exhausted' or kind = 'webhook_disabled' or kind = 'unusual_failures' or kind = 'pumping_paused' or kind = 'key_expiring' or kind = 'certificate_ending');
--sqlite: drop index alerts_open;
--sqlite: drop index alerts_by_subject;
--sqlite: alter table alerts rename column kind to former_kind;
--sqlite: alter table alerts add column kind text not null default 'device_offline' check (kind = 'device_offline' or kind = 'balance_low' or kind = 'balance_exhausted' or kind = 'webhook_disabled' or kind = 'unusual_failures' or kind = 'pumping_paused' or kind = 'key_expiring' or kind = 'certificate_ending');
--sqlite: update alerts set kind = former_kind;
--sqlite: alter table alerts drop column former_kind;
--sqlite: create unique index alerts_open on alerts (kind, subject) where ended_at is null;
--sqlite: create index alerts_by_subject on alerts (kind, subject, began_at);
