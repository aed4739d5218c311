-- What receipts told of the parts of an attempt, by network ID, where later reports may still need it (decision 63).
alter table attempts add column part_reports text;
-- Until now the row of a part went with its receipt: what is missing beside rows that are left was delivered, as a bad receipt took them all.
--sqlite: update attempts set part_reports = (select json_group_array(json_object('ids', json_array(j.value), 'state', 'delivered', 'reason', null)) from json_each(attempts.network_ids) j
--sqlite:   where not exists (select 1 from receipts_expected r where r.network_id = j.value and r.device_id = attempts.device_id and r.message_id = attempts.message_id and r.attempt_number = attempts.number))
--sqlite:   where network_ids is not null and (account_id, mode, message_id, number) in (select account_id, mode, message_id, attempt_number from receipts_expected where wire_parts <> 1);
--postgres: update attempts a set part_reports = left_out.reports from (
--postgres:   select b.account_id, b.mode, b.message_id, b.number, json_agg(json_build_object('ids', json_build_array(v), 'state', 'delivered', 'reason', null))::text as reports
--postgres:   from attempts b cross join lateral json_array_elements_text(b.network_ids::json) as v
--postgres:   where (b.account_id, b.mode, b.message_id, b.number) in (select account_id, mode, message_id, attempt_number from receipts_expected where wire_parts <> 1)
--postgres:     and not exists (select 1 from receipts_expected r where r.network_id = v and r.device_id = b.device_id and r.message_id = b.message_id and r.attempt_number = b.number)
--postgres:   group by b.account_id, b.mode, b.message_id, b.number) as left_out
--postgres:   where a.account_id = left_out.account_id and a.mode = left_out.mode and a.message_id = left_out.message_id and a.number = left_out.number;
update attempts set part_reports = null where part_reports = '[]';
