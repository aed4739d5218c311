-- Messages over an account's own devices can cost nothing (`free`): they are counted beside the balance, without a bound.
alter table accounts add column own_devices text not null default 'charged' check (own_devices = 'charged' or own_devices = 'free');
alter table wallets add column own_reserved bigint not null default 0 check (own_reserved >= 0);
alter table wallets add column own_used bigint not null default 0 check (own_used >= 0);
-- The part of `own_used` whose messages retention has removed.
alter table wallets add column own_used_archived bigint not null default 0 check (own_used_archived >= 0);
-- What pays for a message: the balance, or nothing because only own devices may carry it.
alter table messages add column paid_by text not null default 'balance' check (paid_by = 'balance' or paid_by = 'own_device');
