-- Number first: an index that began as the primary key does could serve a look-up by id as well, and PostgreSQL took it for that while it
-- had no statistics, walking over all messages of an account.
drop index messages_by_recipient;
create index messages_by_recipient on messages (recipient, account_id, mode, id);
