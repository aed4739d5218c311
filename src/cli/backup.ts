import { resolve } from 'node:path'
import { hourMs } from '../clock.ts'
import { isThere } from '../durable-file.ts'
import { previousSecretFile, secretFile } from '../instance-secret.ts'
import { backUpDatabase } from '../storage/backup.ts'
import { findDamage, openDatabaseFile } from '../storage/database-file.ts'
import { command } from './command.ts'
import { CommandError } from './command-errors.ts'
import { examineSums } from './doctor.ts'
import { requireDatabase, requireEmbedded, type Toolbox } from './toolbox.ts'

export const backupCommand = command({
  summary: 'Copies the database to a file, as of one instant, while the server runs, and proves the copy.',
  details:
    'The copy holds numbers and texts: keep it as safe as the database. Keep the secret apart from it: without it stored passwords cannot be read again.',
  arguments: [{ name: 'file', says: 'Where the copy goes; nothing is overwritten.' }],
  options: {},
  async run(tools, { arguments: [target = ''] }) {
    const file = resolve(target)
    requireEmbedded(tools.config, 'Back it up with pg_dump, or as docs/scaling.md says.')
    await requireDatabase(tools.config)
    let broken: string[] = []
    const { bytes } = await backUpDatabase(tools.config.dataFolder, file, async (copy) => {
      broken = await proveCopy(tools, copy)
    })
    const { dataFolder, secret: given } = tools.config
    const secret = given === null ? secretFile(dataFolder) : 'ONESIXTY_SECRET'
    const former = previousSecretFile(dataFolder)
    const formerSecrets = (await isThere(former)) ? former : null
    const sums =
      broken.length === 0
        ? 'every sum adds up'
        : `but these do not hold, in the database as in the copy: ${broken.join(', ')} (see onesixty doctor)`
    return {
      json: {
        file,
        bytes,
        sums_hold: broken.length === 0,
        broken_sums: broken,
        restore: `onesixty restore ${file}`,
        secret,
        former_secrets: formerSecrets,
      },
      text: [
        `${file}: ${(bytes / 1_000_000).toFixed(1)} MB, the file is sound, ${sums}.`,
        `To restore: stop the server, then onesixty restore ${file}`,
        formerSecrets === null
          ? `Keep ${secret} too, somewhere else: a backup does not hold it.`
          : `Keep ${secret} and ${formerSecrets} too, somewhere else: a backup does not hold them.`,
      ].join('\n'),
      exitCode: broken.length === 0 ? 0 : 1,
    }
  },
})

/** Reads the whole copy and adds everything up; gives the names of what does not hold. Throws when the file is damaged. */
async function proveCopy({ config, clock }: Toolbox, file: string): Promise<string[]> {
  const copy = openDatabaseFile(file)
  try {
    const damage = await findDamage(copy.db, true)
    if (damage.length > 0) throw new CommandError('damaged', `The copy is damaged: ${damage.join(' ')}`)
    const sums = await examineSums(copy.db, {
      nowMs: clock.now(),
      receiptWindowMs: config.receiptWindowHours * hourMs,
    })
    return sums.filter((sum) => !sum.ok).map((sum) => sum.name)
  } finally {
    await copy.close()
  }
}
