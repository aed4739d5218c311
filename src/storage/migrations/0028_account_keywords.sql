-- Keywords of accounts, a set for each language; `und` answers the built-in words of no language. An answer: null is that of `und`, then of the
-- instance; empty is none.
create table account_keyword_sets (
  account_id text not null references accounts (id),
  language text not null,
  stop_answer text,
  help_answer text,
  updated_at bigint not null,
  primary key (account_id, language)
) strict;
-- Each word once within an account, bare as it is compared, and as it was written. What is `off` is built in, and no keyword of this account.
create table account_keywords (
  account_id text not null,
  word text not null check (length(word) between 1 and 34),
  keyword text not null check (keyword = 'stop' or keyword = 'start' or keyword = 'help' or keyword = 'off'),
  language text not null,
  written text not null,
  primary key (account_id, word),
  foreign key (account_id, language) references account_keyword_sets (account_id, language)
) strict;
-- A text through a shared device is looked up for every account at once.
create index account_keywords_by_word on account_keywords (word);
