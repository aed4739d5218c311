-- Several nodes: on which server's history the database lies. Null on the embedded database, whose epoch file tells.
alter table instance add column cluster text;
