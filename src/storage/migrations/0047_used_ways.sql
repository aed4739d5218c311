-- When a message last got the way, to the day, by the time of changes (`instance.last_change`, in microseconds); a way that no message has any more is removed.
-- Null: not noted. Nodes of the version before note no use, so such a way is kept until a node of this version notes one.
alter table ways add column used_at bigint;
create index ways_by_use on ways (used_at);
