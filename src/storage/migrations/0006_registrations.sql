-- Registrations that others took the place of go once nothing that they were offered is known any more.
create index phones_superseded on phones (superseded_at) where superseded_at is not null;
create index phone_offers_by_phone on phone_offers (phone_id);
