import { loadInstanceSecret, lossSentence } from '../../process/instance-secret.ts'
import { marksOf } from '../../runtime/derived-keys.ts'
import { FolderLockedError, lockFolder } from '../../storage/instance/folder-lock.ts'
import { hasLivingNode } from '../../storage/instance/nodes.ts'
import { acceptSecrets } from '../../storage/instance/secret-mark.ts'
import { usualTimes } from '../../runtime/times.ts'
import { command, type CommandGroup } from '../core/command.ts'
import { CommandError } from '../core/command-errors.ts'
import type { CommandContext } from '../core/command-context.ts'
import { ownCommand } from '../../process/own-command.ts'

const replacements = `Replace what was encrypted with a lost secret: passwords of links (${ownCommand()} device set), webhook secrets (${ownCommand()} webhook rotate), and second factors (${ownCommand()} user reset-link --remove-second-factor; users then set up new ones). Phones register again when their app is restarted.`

const accept = command({
  summary: 'Continues with the current secrets when other secrets of the database are lost.',
  details: `Stop all servers first. No server starts while a secret of its database is missing. ${lossSentence} ${replacements}`,
  arguments: [],
  options: {},
  async run(tools) {
    const forgotten = await acceptCurrent(tools)
    return {
      json: { accepted: true, forgotten },
      text:
        forgotten === 0
          ? 'No secret is missing. Nothing was changed.'
          : `Removed ${forgotten} lost ${forgotten === 1 ? 'secret' : 'secrets'}. The database now uses the current ones. ${replacements} Opt-outs of numbers that were erased with a lost secret no longer apply.`,
    }
  },
})

/**
 * Removes lost secrets and returns their number. All servers must be stopped: a running one would still encrypt with a
 * removed secret.
 */
const acceptCurrent = ({ config, clock, withStorage }: CommandContext): Promise<number> =>
  withStorage(async ({ writer }) => {
    const { dataFolder, databaseUrl } = config
    const lock = await lockFolder(dataFolder, {
      nowMs: clock.now(),
      purpose: 'onesixty secret accept',
    }).catch((error: unknown) => {
      throw error instanceof FolderLockedError ? new CommandError('served', error.message) : error
    })
    try {
      const marks = marksOf(await loadInstanceSecret(config))
      return await writer.write(async (tx) => {
        if (databaseUrl !== null && (await hasLivingNode(tx, clock)))
          throw new CommandError('served', servedSentence)
        return acceptSecrets(tx, marks, clock.now())
      })
    } finally {
      lock.release()
    }
  })

const servedSentence = `A server of this database is running, and would still encrypt with its own secret. Stop all servers first. A killed server counts as running for another ${usualTimes.silenceMs / 1_000} s.`

export const secretCommands: CommandGroup = {
  summary: 'The secret of the instance, which encrypts stored passwords.',
  commands: { accept },
}
