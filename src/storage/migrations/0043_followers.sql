-- Messages that another one follows, over other devices, once the network reports that they were not delivered (`on_undelivered`).
create table followers (
  account_id text not null,
  mode text not null check (mode = 'live' or mode = 'test'),
  message_id text not null,
  state text not null check (state = 'armed' or state = 'due' or state = 'followed' or state = 'none'),
  -- The message that follows it.
  follower_id text,
  -- The devices that the follower must not use, with commas between them.
  excludes text,
  -- Why none follows it.
  reason text,
  created_at bigint not null,
  primary key (account_id, mode, message_id)
) strict, without rowid;
create unique index followers_by_follower on followers (account_id, mode, follower_id);
create index followers_due on followers (created_at) where state = 'due';
create index followers_by_age on followers (created_at);
