-- What an event tells of a scheduled message: a person may give it another time.
alter table webhook_events add column send_at bigint;
alter table webhook_events add column expires_at bigint;

-- The first owner of an account that the operator made, and whether that request made the user: it gives links for no other. Both are
-- unknown of requests that were made before these columns were.
alter table operator_requests add column user_id text references users (id);
alter table operator_requests add column is_new_user bigint check (is_new_user = 0 or is_new_user = 1);
create index operator_requests_by_user on operator_requests (user_id);
