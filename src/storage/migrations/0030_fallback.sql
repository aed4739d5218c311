-- What may carry a message of an account with free own devices when they do not: shared devices, for the balance.
alter table messages add column fallback text check (fallback = 'shared');
-- The device of an attempt belonged to the account and sent for real: then it pays for a message with a fallback.
alter table attempts add column is_own integer not null default 0 check (is_own = 0 or is_own = 1);
