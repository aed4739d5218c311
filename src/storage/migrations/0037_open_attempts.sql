-- Stops rolling upgrades: nodes of the version before look for messages in flight in the queue.
-- A message in flight has left the queue: its open attempt knows the place to which it may go back, and makes it `sending` (decision 64).
alter table attempts add column route_key text;
alter table attempts add column due_at bigint;
alter table attempts add column refusals bigint;
alter table attempts add column restore_hold bigint not null default 0 check (restore_hold = 0 or restore_hold = 1);
update attempts set route_key = q.route_key, due_at = q.due_at, refusals = q.refusals, restore_hold = q.restore_hold from queue q
  where q.claimed_by is not null and attempts.ended_at is null
    and attempts.account_id = q.account_id and attempts.mode = q.mode and attempts.message_id = q.message_id;
delete from queue where claimed_by is not null;
alter table queue drop column claimed_by;
-- What the claim wrote into the message.
update messages set status = 'queued', device_id = null, attempts = attempts - 1, sequence = sequence - 1
  where status = 'sending' and (account_id, mode, id) in (select account_id, mode, message_id from attempts where ended_at is null);
-- Nothing is found by the ID of an attempt: reports name its message, and replies the part that they answer.
drop index attempts_by_id;
