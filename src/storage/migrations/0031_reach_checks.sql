-- Links that a phone opens to show that it reaches this instance, by the hash of their nonce; kept for a day.
create table reach_checks (
  nonce_hash text not null primary key check (length(nonce_hash) = 64),
  created_at bigint not null,
  opened_at bigint,
  opened_from text check (length(opened_from) <= 45),
  check ((opened_at is null) = (opened_from is null))
) strict;
create index reach_checks_by_age on reach_checks (created_at);
