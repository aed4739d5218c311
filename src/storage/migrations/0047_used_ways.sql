-- Stops rolling upgrades: nodes of the version before do not note which ways they use.
-- When a message last got the way, to the day, by the time of changes (`instance.last_change`, in microseconds); a way that no message has any more is removed.
alter table ways add column used_at bigint not null default 0;
update ways set used_at = coalesce((select last_change / 1000 from instance where id = 1), 0);
create index ways_by_use on ways (used_at);
