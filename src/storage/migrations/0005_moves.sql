-- Moving house (onesixty move): on the embedded database where everything goes, on the other one where it comes from.
create table moves (
  id text primary key,
  direction text not null check (direction = 'out' or direction = 'in'),
  -- The other side, as a person would name it; never with a password.
  place text not null,
  -- Names one state of the source, which changes when anybody opens it: only a copy of the same state is gone on with. Null until the next try.
  copy_id text,
  started_at bigint not null,
  finished_at bigint
) strict;

-- How far each table has arrived; in the transactions that bring its rows.
create table move_progress (
  table_name text primary key,
  -- The key of the last row that arrived, as a JSON array; null before the first.
  last_key text,
  copied_rows bigint not null check (copied_rows >= 0),
  is_done bigint not null check (is_done = 0 or is_done = 1)
) strict;
