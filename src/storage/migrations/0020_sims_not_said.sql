-- An empty list of SIMs is the word of a phone that it has none. Former versions wrote it also of apps before 1.65.0, which say nothing of their SIMs:
-- they have not said. From 1.10 on, the first that registers, versions of the app come in their order as texts.
update phones set sims = 'null' where sims = '[]' and (app_version is null or app_version < '1.65');
