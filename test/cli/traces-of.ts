import { readFile, rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { databaseFile } from '../../src/process/data-folder.ts'
import { tablesWith } from '../messages/every-cell.ts'
import { withDatabase } from '../open-database.ts'
import { isPostgres } from '../test-database.ts'

/** Which of the texts stand anywhere in the bytes of the database, its log, or a copy; on a server, in any cell. */
export async function tracesOf(texts: readonly string[], dataFolder: string): Promise<string[]> {
  if (isPostgres)
    return withDatabase(dataFolder, async (db) => {
      const found = await Promise.all(texts.map((text) => tablesWith(db, [text])))
      return texts.filter((_, i) => (found[i]?.length ?? 0) > 0)
    })
  const copy = `${dataFolder}/copy-of-all.db`
  const database = new DatabaseSync(databaseFile(dataFolder), { readOnly: true })
  database.exec(`vacuum into '${copy}'`)
  const files = [databaseFile(dataFolder), `${databaseFile(dataFolder)}-wal`, copy]
  const bytes = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')))
  database.close()
  await rm(copy)
  return texts.filter((text) => bytes.some((each) => each.includes(text)))
}
