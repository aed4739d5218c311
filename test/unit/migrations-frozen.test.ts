import { expect, test } from 'vitest'
import { migrationText } from '../../src/storage/seam/migration-text.ts'
import { readMigrations } from '../../src/storage/seam/migrate.ts'

test('a migration that was published stays as it is: a database that it was applied to would be refused', async () => {
  const found = await Promise.all(
    (['postgres', 'sqlite'] as const).map(async (kind) =>
      (await readMigrations(kind)).map(({ name, checksum }) => [
        `${kind}/${name.replace('.sql', '')}`,
        checksum.slice(0, 16),
      ]),
    ),
  )
  expect(Object.fromEntries(found.flat())).toEqual(published)
})

test('a migration is written once, and each database reads it in its own words', () => {
  const written = [
    '-- A text of bigint size.',
    'create table a (',
    '  id text primary key,',
    "  context text not null default 'a text',",
    '  at bigint not null,',
    '  state integer not null,',
    '  secret blob, sha256 text)',
    ') strict, without rowid;',
    'alter table b add column note text;',
    '--postgres: -- Only here.',
    '--sqlite: create index c on a (at);',
  ].join('\n')
  expect(migrationText(written, 'sqlite').split('\n')).toEqual([
    '-- A text of bigint size.',
    'create table a (',
    '  id text primary key,',
    "  context text not null default 'a text',",
    '  at integer not null,',
    '  state integer not null,',
    '  secret blob, sha256 text)',
    ') strict, without rowid;',
    'alter table b add column note text;',
    'create index c on a (at);',
  ])
  expect(migrationText(written, 'postgres').split('\n')).toEqual([
    '-- A text of bigint size.',
    'create table a (',
    '  id text collate "C" primary key,',
    '  context text collate "C" not null default \'a text\',',
    '  at bigint not null,',
    '  state integer not null,',
    '  secret bytea, sha256 text collate "C")',
    ');',
    'alter table b add column note text collate "C";',
    '-- Only here.',
  ])
})

/** The beginning of the SHA-256 of each. A new one adds its two lines; none is changed. */
const published = {
  'postgres/0001_initial': '4b9d770c0f96d216',
  'postgres/0002_phones': 'b8cd66f5d4016568',
  'postgres/0003_console': 'fd209c76cd9914c2',
  'postgres/0004_nodes': '3800460522da963a',
  'postgres/0005_moves': 'bc9229c0336dc8e2',
  'postgres/0006_registrations': '2926d4f82719bcd4',
  'postgres/0007_webhooks': '8ff0e6ff94cbb444',
  'postgres/0008_opt_outs': 'd9d0c17d7cfd0b87',
  'postgres/0009_deferred': '10f17e9b9e859b69',
  'postgres/0010_operator': 'f0783f6d2bbca69a',
  'postgres/0011_guards': '8fe93ff370760c20',
  'postgres/0012_numbers': '0af52b815d526c27',
  'postgres/0013_passkeys': 'e4b8f2894da361dd',
  'postgres/0014_plans_and_owners': '46f6c9ffa7f9c19a',
  'postgres/0015_kept_places': 'a27082f4fc8dfba8',
  'postgres/0016_secret_mark': '2d4b02b6286cd632',
  'postgres/0017_doubtful_mails': 'ff6bb988e972900b',
  'postgres/0018_secret_marks': '98ba9ae45b1dc28b',
  'postgres/0019_held': 'dba7a999ea4c02e3',
  'postgres/0020_sims_not_said': '8bcb5d54583a6691',
  'postgres/0021_receipt_expected': '2903eb1b2fb0bd8a',
  'postgres/0022_progress': '319cc27ef92ada9b',
  'postgres/0023_webhook_rests': '130f1db144f3d3a5',
  'postgres/0024_proven_addresses': '74ae0cf88a060a35',
  'postgres/0025_reported_times': 'dd4de839d69595d4',
  'postgres/0026_device_groups': 'de758879797326da',
  'postgres/0027_unread_forms': '4f48c35d7d4595a1',
  'postgres/0028_account_keywords': '29e5aa11cc438b83',
  'postgres/0029_own_devices': '38bf20edb540e8a7',
  'postgres/0030_fallback': 'f570861d4dcc3775',
  'postgres/0031_reach_and_certificates': '637c4f6b5d3c3c00',
  'postgres/0033_stranded': 'be888738b42176b3',
  'sqlite/0001_initial': '473da6ea689b45e2',
  'sqlite/0002_phones': '20fd011ab3af662c',
  'sqlite/0003_console': '0d2a4c9e0f957d4f',
  'sqlite/0004_nodes': 'a85dfeff421d08ac',
  'sqlite/0005_moves': '0c080e143c3e4049',
  'sqlite/0006_registrations': '2926d4f82719bcd4',
  'sqlite/0007_webhooks': '4e0b091ab2d06a09',
  'sqlite/0008_opt_outs': '0af2813b764b7f04',
  'sqlite/0009_deferred': 'e0c822f488fcaf3a',
  'sqlite/0010_operator': '525f494193259062',
  'sqlite/0011_guards': 'be5d6d613312bc29',
  'sqlite/0012_numbers': '0af52b815d526c27',
  'sqlite/0013_passkeys': '8325c171cbb94029',
  'sqlite/0014_plans_and_owners': 'e8afc5104486b166',
  'sqlite/0015_kept_places': 'a27082f4fc8dfba8',
  'sqlite/0016_secret_mark': '1fc04820e4dca3a5',
  'sqlite/0017_doubtful_mails': '0d1576b8b9af4461',
  'sqlite/0018_secret_marks': '3fc31bad81780f5f',
  'sqlite/0019_held': 'dba7a999ea4c02e3',
  'sqlite/0020_sims_not_said': '8bcb5d54583a6691',
  'sqlite/0021_receipt_expected': 'a1cbb1d37fade74d',
  'sqlite/0022_progress': 'f764c410007204cb',
  'sqlite/0023_webhook_rests': '131c97d3bd56637c',
  'sqlite/0024_proven_addresses': '74531f2aff1da2c8',
  'sqlite/0025_reported_times': 'fb20abfb24a6e425',
  'sqlite/0026_device_groups': '1797558318a19add',
  'sqlite/0027_unread_forms': 'fa0c46b95ca69091',
  'sqlite/0028_account_keywords': '3b0a11afb66b9395',
  'sqlite/0029_own_devices': 'babd3877280fb6b4',
  'sqlite/0030_fallback': '5d4ccd67c855f4a9',
  'sqlite/0031_reach_and_certificates': 'ccf4a990567fd389',
  'sqlite/0033_stranded': '948f23669ee03284',
}
