import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { resolve } from 'node:path'

/**
 * What a server is called among those of its database: what it is told, else the name of the machine, with a mark of the data folder where
 * others may serve the same database, so that two on one machine are told apart, and each start of one is known as the same.
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
