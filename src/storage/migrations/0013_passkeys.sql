-- Passkeys of people: WebAuthn credentials that stand for both factors. They go with whoever signs in by them.
create table passkeys (
  id text primary key,
  user_id text not null references auth_users ("id") on delete cascade,
  -- Both as base64url: what the authenticator calls it, unique among all people, and its public key (COSE, RFC 9052).
  credential_id text not null unique,
  public_key text not null,
  -- How often the authenticator says that it was used; 0 when it does not count.
  counter bigint not null check (counter >= 0),
  -- How a browser reaches it, as it said, joined by commas.
  transports text not null,
  -- Whether it may be copied to other devices of the person.
  is_synced integer not null check (is_synced = 0 or is_synced = 1),
  name text not null,
  created_at bigint not null,
  last_used_at bigint
) strict;
create index passkeys_by_user on passkeys (user_id);

-- The SHA-256 of challenges that an accepted answer was given to: none is accepted twice while it stands here.
create table passkey_challenges (
  hash text primary key check (length(hash) = 64),
  expires_at bigint not null
) strict, without rowid;
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);
