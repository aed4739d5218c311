-- Stops rolling upgrades: nodes of the version before take the numbers of changes from what is dropped here, where units of two lanes would wait for each other.
-- The number of the last change of messages of each lane, that is of a share of the accounts; -1: of a unit that ran without others, for all lanes.
create table change_lanes (
  lane bigint primary key not null,
  last_change bigint not null
) strict, without rowid;
insert into change_lanes (lane, last_change) select -1, last_change from instance;
alter table instance drop column last_change;

-- What each node has added to `instance.progress` by its claims: a row that only its node changes. The progress of the database is the sum.
create table node_progress (
  epoch bigint primary key not null,
  progress bigint not null
) strict, without rowid;
