-- Messages that wait for an instant before they may stand in the queue: for the time at which they are to be sent (scheduled), or for the end
-- of quiet hours. Apart from the queue, so that claims never walk over what is not due.
create table deferred (
  account_id text not null,
  mode text not null,
  message_id text not null,
  reason text not null check (reason = 'scheduled' or reason = 'quiet_hours'),
  -- When something is to be done with it: it joins the queue, or has expired.
  wake_at bigint not null,
  -- Its place in the queue then.
  route_key text not null,
  priority bigint not null check (priority between 0 and 2),
  parts bigint not null,
  expires_at bigint not null,
  refusals bigint not null default 0,
  -- The last change of the message: history finds by it what changed.
  changed_at bigint not null,
  restore_hold bigint not null default 0 check (restore_hold = 0 or restore_hold = 1),
  primary key (account_id, mode, message_id),
  check (wake_at <= expires_at)
) strict, without rowid;
create index deferred_due on deferred (wake_at) where restore_hold = 0;
create index deferred_by_change on deferred (account_id, mode, changed_at, message_id);

create table deferred_totals (
  account_id text not null,
  mode text not null,
  reason text not null,
  messages bigint not null check (messages >= 0),
  parts bigint not null check (parts >= 0),
  primary key (account_id, mode, reason)
) strict, without rowid;

-- What was asked for first: the answer to a repeated Idempotency-Key says it, wherever a person has moved the messages since.
alter table sends add column send_at bigint;
