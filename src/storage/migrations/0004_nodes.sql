--sqlite: -- Several nodes: on which server's history the database lies. Null on the embedded database, whose epoch file tells.
--postgres: -- Several nodes: on which server's history the database lies (system identifier and timeline). A backup that was put back has another.
alter table instance add column cluster text;
-- Pages of history have been given out up to here: nothing is written with an earlier time. Where one process writes, it knows that by itself.
alter table instance add column history_until bigint not null default 0;

-- Starts of servers. One that has not left may have hand-overs open; what is open of the others nobody ends but the rescuer.
create table nodes (
  epoch bigint primary key,
  name text not null,
  started_at bigint not null,
  beat_at bigint not null,
  -- When it stopped, was followed by a start in its place, or had been silent for too long. It may come back from silence.
  left_at bigint,
  -- Whether it may tidy up for all.
  tidies bigint not null check (tidies between 0 and 1)
) strict, without rowid;
create index nodes_alive on nodes (epoch) where left_at is null;
create index nodes_by_age on nodes (left_at) where left_at is not null;

-- Which start of a server told it: every node serves every phone, and the one that hears it knows best.
alter table device_reports add column told_by bigint;
