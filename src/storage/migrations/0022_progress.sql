-- Grows while a server works: by it a database that was put back is told from the one that was stopped, also where no start lies between (P14).
alter table instance add column progress bigint not null default 0 check (progress >= 0);
