-- A word that the operator gives to accounts, such as `pro`: rules of routes match by it. Null: none.
alter table accounts add column plan text;
