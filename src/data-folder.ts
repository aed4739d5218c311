import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { ConfigError } from './config.ts'

/** Makes the data folder when it is missing, for its owner alone. Refuses one that cannot be made or written to. */
export async function makeDataFolder(dataFolder: string): Promise<void> {
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 })
    await access(dataFolder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = 'unknown' } = error as { code?: string }
    throw new ConfigError(
      `ONESIXTY_DATA: the folder ${dataFolder} cannot be made or written to (${code}). Name another, or let this user write there.`,
    )
  }
}
