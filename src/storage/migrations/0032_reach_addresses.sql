-- The address that a link was made for, as scheme, host and port: what a phone shows is true of this address alone.
alter table reach_checks add column address text;
-- The certificate with which phones connect to this node, as JSON; null without a listener for phones.
alter table nodes add column certificate text;
-- One installation of the app has one device at a time: two would store each received SMS twice. Of two that there are, the
-- later one is disconnected: its status says so, and it can be removed.
--sqlite: update devices set settings = json_remove(settings, '$.local_id') where state <> 'retired' and exists (select 1 from devices e where e.kind = devices.kind and e.state <> 'retired' and e.id < devices.id and case when instr(e.settings, '"local_id"') > 0 then nullif(json_extract(e.settings, '$.local_id'), '') end = case when instr(devices.settings, '"local_id"') > 0 then nullif(json_extract(devices.settings, '$.local_id'), '') end);
--postgres: update devices set settings = ((settings::jsonb) - 'local_id')::text where state <> 'retired' and exists (select 1 from devices e where e.kind = devices.kind and e.state <> 'retired' and e.id < devices.id and case when strpos(e.settings, '"local_id"') > 0 then nullif((e.settings::json) ->> 'local_id', '') end = case when strpos(devices.settings, '"local_id"') > 0 then nullif((devices.settings::json) ->> 'local_id', '') end);
--sqlite: create unique index devices_by_installation on devices (kind, (case when instr(settings, '"local_id"') > 0 then nullif(json_extract(settings, '$.local_id'), '') end)) where state <> 'retired' and instr(settings, '"local_id"') > 0;
--postgres: create unique index devices_by_installation on devices (kind, (case when strpos(settings, '"local_id"') > 0 then nullif((settings::json) ->> 'local_id', '') end)) where state <> 'retired' and strpos(settings, '"local_id"') > 0;
