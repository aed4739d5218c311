-- Several nodes: on which server's history the database lies (system identifier and timeline). A backup that was put back has another.
alter table instance add column cluster text collate "C";
