-- What devices sent and nobody could read: each form of it once, without a number or a text of anybody.
create table unread_forms (
  device_id text not null references devices (id),
  kind text not null check (
    kind = 'word' or kind = 'receipt' or kind = 'rest' or kind = 'pdu' or kind = 'event' or kind = 'message' or kind = 'report'
  ),
  form text not null check (length(form) between 1 and 100),
  times bigint not null check (times > 0),
  first_at bigint not null,
  last_at bigint not null,
  primary key (device_id, kind, form)
) strict;
create index unread_forms_by_age on unread_forms (last_at);
