-- What a restore holds back, found without a look at all that waits. Nothing stands in them otherwise.
create index queue_held on queue (restore_hold, route_key, account_id, priority, due_at, message_id) where restore_hold = 1;
create index deferred_held on deferred (restore_hold, account_id, mode, message_id) where restore_hold = 1;
