-- Stops rolling upgrades: nodes of the version before write the column.
-- When an offered message is due again says its attempt (migration 0037).
alter table phone_offers drop column due_at;
