-- Every secret that the database was used with: without one of them what it sealed or hashed is lost. A mark tells nothing else of its secret.
create table secret_marks (
  mark text primary key,
  first_seen_at bigint not null
) strict;
-- Nothing reads the column any more; it stays for nodes of the version before. When its secret was first seen was not written down: never before the
-- database was made.
insert into secret_marks (mark, first_seen_at) select secret_mark, created_at from instance where secret_mark is not null;
