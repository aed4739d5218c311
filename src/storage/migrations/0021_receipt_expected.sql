-- Whether the end of a try promised receipts: a yes to an earlier one may count only later (decision 13), when those that came are no longer on the list.
alter table attempts add column receipt_expected bigint check (receipt_expected = 0 or receipt_expected = 1);
