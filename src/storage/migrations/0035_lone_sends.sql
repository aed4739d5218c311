-- A send of one recipient has no row in `sends`: its message names the key that sent it.
alter table messages add column key_id text;
