-- Devices that are named together; with shared receipts they are one account at one carrier, whose receipts come over any of them.
create table device_groups (
  id text primary key,
  name text not null,
  shared_receipts integer not null check (shared_receipts = 0 or shared_receipts = 1),
  created_at bigint not null
) strict;
alter table devices add column group_id text;
create index devices_by_group on devices (group_id) where group_id is not null;
