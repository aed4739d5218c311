-- What may carry a message of an account with free own devices when they do not: shared devices, for the balance.
alter table messages add column fallback text check (fallback = 'shared');
