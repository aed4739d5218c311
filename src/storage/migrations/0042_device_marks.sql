-- What must not be done twice to a device, whichever node runs it, and after a crash: the PIN of a SIM was tried.
create table device_marks (
  device_id text not null references devices (id),
  name text not null,
  at bigint not null,
  primary key (device_id, name)
) strict;
