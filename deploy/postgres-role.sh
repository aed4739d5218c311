#!/bin/sh
# Run once by the image of PostgreSQL, when it makes its folder: a role that owns its database and may do nothing else, and the one that
# reads for an account take on (src/storage/postgres/row-security.ts), which a role that may not make roles must find.
# By hand: DATABASE_PASSWORD=… deploy/postgres-role.sh, as a user who may speak to PostgreSQL as its superuser.
set -eu
: "${DATABASE_PASSWORD:?is not set}"
psql --username "${POSTGRES_USER:-postgres}" --dbname postgres --no-psqlrc --set ON_ERROR_STOP=1 <<'SQL'
\getenv password DATABASE_PASSWORD
set password_encryption = 'scram-sha-256';
create role onesixty login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database onesixty owner onesixty encoding 'UTF8' template template0;
revoke all on database onesixty from public;
do $$ begin create role onesixty_account_reader nologin; exception when duplicate_object then null; end $$;
grant onesixty_account_reader to onesixty;
SQL
