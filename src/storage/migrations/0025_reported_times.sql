-- What devices say of when: that of the network for a received message, that of a phone for what it sent. The order of changes stays with our own times.
alter table messages add column received_at bigint;
alter table messages add column reported_sent_at bigint;
alter table messages add column reported_delivered_at bigint;
