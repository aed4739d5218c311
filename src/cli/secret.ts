import { loadInstanceSecret, lossSentence, marksOf } from '../instance-secret.ts'
import { FolderLockedError, lockFolder } from '../storage/folder-lock.ts'
import { hasLivingNode } from '../storage/nodes.ts'
import { acceptSecrets } from '../storage/secret-mark.ts'
import { usualTimes } from '../times.ts'
import { command, type CommandGroup } from './command.ts'
import { CommandError } from './command-errors.ts'
import type { Toolbox } from './toolbox.ts'

const anew =
  'What was sealed with a lost one is set anew: passwords of links (onesixty device set), webhook secrets (onesixty webhook rotate); second factors go with onesixty user reset-link --remove-second-factor, and their owners set up others. Phones register anew as soon as their app is started again.'

const accept = command({
  summary:
    'Goes on with the secrets that are there now, where others that the database was used with are lost.',
  details: `No server starts while a secret that its database was used with is missing; every server must be stopped. ${lossSentence} ${anew}`,
  arguments: [],
  options: {},
  async run(tools) {
    const forgotten = await acceptAtHand(tools)
    return {
      json: { accepted: true, forgotten },
      text:
        forgotten === 0
          ? 'No secret was missing, and nothing is lost.'
          : `${forgotten} ${forgotten === 1 ? 'secret is' : 'secrets are'} given up for lost; this database goes on with those at hand. ${anew} Opt-outs of numbers that were erased under it hold no more.`,
    }
  },
})

/** With every server stopped: one that runs would go on sealing with what is forgotten here. Gives how many secrets were. */
const acceptAtHand = ({ config, clock, withStorage }: Toolbox): Promise<number> =>
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

const servedSentence = `A server of this database runs, and would go on sealing with its own secret. Stop every one first; one that was killed counts as running for ${usualTimes.silenceMs / 1_000} s more.`

export const secretCommands: CommandGroup = {
  summary: 'The secret of the instance, which seals stored passwords.',
  commands: { accept },
}
