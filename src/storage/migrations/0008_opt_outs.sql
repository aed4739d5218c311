-- Opt-outs: how each came about, and the one message that may go to its number afterwards.
alter table opt_outs add column origin text not null default 'command' check (origin = 'message' or origin = 'console' or origin = 'command');
-- Which device heard it: the number takes it back there for every account that it holds for.
alter table opt_outs add column device_id text;
alter table opt_outs add column confirmation_id text;
-- When the number was last told so: who goes to and fro is told once a day.
alter table opt_outs add column confirmed_at bigint;
create index opt_outs_by_time on opt_outs (account_id, mode, created_at, recipient);
create index opt_outs_by_device on opt_outs (recipient, device_id) where device_id is not null;

-- Conversations: what came from a number. Rows of messages that were sent stand in neither.
create index messages_received on messages (account_id, mode, id) where direction = 'inbound';
create index messages_received_from on messages (account_id, mode, sender, id) where direction = 'inbound';
