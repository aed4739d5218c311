import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
import { templateDatabase, withDatabase } from './postgres-server.ts'

/** On which database this run of the tests is: that of its Vitest project. */
export const isPostgres = process.env['ONESIXTY_TEST_DATABASE'] === 'postgres'

export const testSecret = 'a secret of the tests that nobody else has'

/** Data folders whose database is on a server of their own, with its address. */
const elsewhere = new Map<string, string>()

/** Says that the database of a data folder is on a server of its own, which the test may kill. */
export const useServer = (dataFolder: string, postgresUrl: string): void =>
  void elsewhere.set(dataFolder, postgresUrl)

/**
 * A data folder of its own and, on PostgreSQL, a database of its own, which is known by the folder's name and has all tables unless it is to
 * be empty.
 */
export async function makeTestFolder(prefix = 'onesixty-test-', { isEmpty = false } = {}): Promise<string> {
  const dataFolder = await mkdtemp(join(tmpdir(), prefix))
  const template = isEmpty ? '' : ` template ${templateDatabase} strategy file_copy`
  if (isPostgres) await asAdmin(`create database "${basename(dataFolder)}"${template}`)
  return dataFolder
}

/** Removes both. */
export async function removeTestFolder(dataFolder: string): Promise<void> {
  if (isPostgres) await asAdmin(`drop database if exists "${basename(dataFolder)}" with (force)`)
  await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 })
}

/** The settings by which a program finds the database of a data folder. */
export const databaseSettings = (dataFolder: string): Record<string, string> =>
  isPostgres
    ? {
        ONESIXTY_DATA: dataFolder,
        DATABASE_URL: elsewhere.get(dataFolder) ?? withDatabase(inject('postgresUrl'), basename(dataFolder)),
        ONESIXTY_SECRET: testSecret,
      }
    : { ONESIXTY_DATA: dataFolder }

async function asAdmin(statement: string): Promise<void> {
  const admin = new Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  try {
    await admin.query(statement)
  } finally {
    await admin.end()
  }
}
