-- Who signs in, and what is known of it: addresses that were proven by a link, codes that were accepted, browsers that have signed in.

-- When this person first opened a link that was sent to an address of theirs; null: never. Second factors and passkeys from before it end with it.
alter table users add column email_proven_at bigint;
-- Grows with each new password and with the first proof: the cookie of a browser that signed in before is no longer known.
alter table users add column browser_epoch bigint not null default 0 check (browser_epoch >= 0);
-- The time step of the last code that was accepted: neither it nor an earlier one is accepted again (RFC 6238, section 5.2).
alter table auth_two_factors add column "lastStep" bigint;
-- Former secrets that still sign beside the previous one, newest first: a JSON array of pairs of the sealed secret and its end.
alter table webhook_endpoints add column older_secrets text;

-- Links that confirm an e-mail address of a user, of which only the SHA-256 of the token is kept. The address counts once its link was opened.
create table email_links (
  id text primary key,
  hash text not null unique check (length(hash) = 64),
  user_id text not null references users (id),
  email text not null,
  actor text not null,
  created_at bigint not null,
  expires_at bigint not null check (expires_at > created_at),
  used_at bigint,
  revoked_at bigint,
  check (used_at is null or revoked_at is null)
) strict;
create index email_links_by_user on email_links (user_id);
create index email_links_by_expiry on email_links (expires_at);
