-- Of which secret the stored passwords, second factors and hashed numbers are: a mark that tells nothing else of it. Null until the first start
-- that writes it.
alter table instance add column secret_mark text;
