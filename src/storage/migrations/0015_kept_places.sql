-- What its device could not take keeps its place in the queue: it is due before it changed. There are never more of these than the windows of the
-- devices hold, and history finds them here, for it looks for what else waits in the order of the queue.
create index queue_in_place on queue (account_id, mode, changed_at, message_id) where changed_at > due_at;
