-- What receipts told of the parts of an attempt, by network ID, where later reports may still need it (decision 63).
alter table attempts add column part_reports text;
