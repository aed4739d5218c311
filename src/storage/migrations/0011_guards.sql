-- Quiet hours of an account's recipients, in minutes of their local day; null: none. Where they begin after they end they go over midnight.
alter table accounts add column quiet_from bigint check (quiet_from between 0 and 1439);
alter table accounts add column quiet_until bigint check (quiet_until between 0 and 1439 and quiet_until <> quiet_from);
-- Guard against abuse. Countries by ISO 3166 alpha-2, joined by commas: null means all, an empty text none.
alter table accounts add column countries text;
-- Null means the instance's setting, 0 means no limit.
alter table accounts add column number_per_hour bigint check (number_per_hour >= 0);
alter table accounts add column prefix_per_hour bigint check (prefix_per_hour >= 0);
alter table accounts add column pumping_numbers bigint check (pumping_numbers >= 0);
