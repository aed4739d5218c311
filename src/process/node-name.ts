import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { resolve } from 'node:path'

/**
 * Returns the name of a server among those of its database: the setting, else the name of the machine. On
 * PostgreSQL a suffix made from the data folder is added, so that two servers of one machine differ, and a
 * restarted server keeps its name.
 */
export function nodeNameOf(config: {
  node: string | null
  dataFolder: string
  databaseUrl: string | null
}): string {
  if (config.node !== null) return config.node
  if (config.databaseUrl === null) return hostname()
  const mark = createHash('sha256').update(resolve(config.dataFolder)).digest('hex').slice(0, 6)
  return `${hostname()}-${mark}`
}
