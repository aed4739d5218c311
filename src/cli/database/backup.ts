import { resolve } from 'node:path'
import { hourMs } from '../../runtime/clock.ts'
import { isThere } from '../../process/durable-file.ts'
import { previousSecretFile, secretFile } from '../../process/instance-secret.ts'
import { backUpDatabase } from '../../storage/open/backup.ts'
import { findDamage, openDatabaseFile } from '../../storage/sqlite/database-file.ts'
import { command } from '../core/command.ts'
import { CommandError } from '../core/command-errors.ts'
import { examineSums } from '../doctor/doctor.ts'
import { requireDatabase, requireEmbedded, type CommandContext } from '../core/command-context.ts'
import { ownCommand } from '../../process/own-command.ts'

export const backupCommand = command({
  summary: 'Copies a snapshot of the database to a file while the server runs, and verifies the copy.',
  details:
    'The backup contains numbers and texts: protect it like the database. Store the secret separately: without it stored passwords cannot be decrypted.',
  arguments: [{ name: 'file', summary: 'Path of the backup. An existing file is not overwritten.' }],
  options: {},
  async run(tools, { arguments: [target = ''] }) {
    const file = resolve(target)
    requireEmbedded(tools.config, 'Back it up with pg_dump, or see docs/scaling.md.')
    await requireDatabase(tools.config)
    let broken: string[] = []
    const { bytes } = await backUpDatabase(tools.config.dataFolder, file, async (copy) => {
      broken = await verifyCopy(tools, copy)
    })
    const { dataFolder, secret: given } = tools.config
    const secret = given === null ? secretFile(dataFolder) : 'ONESIXTY_SECRET'
    const former = previousSecretFile(dataFolder)
    const formerSecrets = (await isThere(former)) ? former : null
    const sums =
      broken.length === 0
        ? 'all sums are correct'
        : `but these sums are wrong in the database and the backup: ${broken.join(', ')} (see ${ownCommand()} doctor)`
    return {
      json: {
        file,
        bytes,
        sums_hold: broken.length === 0,
        broken_sums: broken,
        restore: `${ownCommand()} restore ${file}`,
        secret,
        former_secrets: formerSecrets,
      },
      text: [
        `${file}: ${(bytes / 1_000_000).toFixed(1)} MB, no corruption found, ${sums}.`,
        `To restore: stop the server, then ${ownCommand()} restore ${file}`,
        formerSecrets === null
          ? `Also store ${secret}, in another place: the backup does not contain it.`
          : `Also store ${secret} and ${formerSecrets}, in another place: the backup does not contain them.`,
      ].join('\n'),
      exitCode: broken.length === 0 ? 0 : 1,
    }
  },
})

/** Reads the whole copy and checks all sums. Returns the names of the wrong ones; throws when the file is damaged. */
async function verifyCopy({ config, clock }: CommandContext, file: string): Promise<string[]> {
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
