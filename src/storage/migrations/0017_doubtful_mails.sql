-- While a mail is on its way the mail server may take it, and whoever sends it may end before that is written down: then it stays 1. Who may have been told
-- of the begin of an alert is told of its end.
alter table alert_mails add column may_be_told bigint not null default 0 check (may_be_told = 0 or may_be_told = 1);
