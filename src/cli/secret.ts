import { loadInstanceSecret, lossSentence, marksOf } from '../instance-secret.ts'
import { acceptSecrets } from '../storage/secret-mark.ts'
import { command, type CommandGroup } from './command.ts'
import type { Toolbox } from './toolbox.ts'

const accept = command({
  summary:
    'Goes on with the secrets that are there now, where others that the database was used with are lost.',
  details: `No server starts while a secret that its database was used with is missing. ${lossSentence} Set passwords of links again (device set), rotate webhook secrets (webhook rotate), and let people set up their second factors anew.`,
  arguments: [],
  options: {},
  async run(tools) {
    const forgotten = await acceptAtHand(tools)
    return {
      json: { accepted: true, forgotten },
      text:
        forgotten === 0
          ? 'No secret was missing, and nothing is lost.'
          : `${forgotten} ${forgotten === 1 ? 'secret is' : 'secrets are'} given up for lost; this database goes on with those at hand. What was sealed with a lost one is set anew: passwords of links (onesixty device set), webhook secrets (onesixty webhook rotate), second factors. Opt-outs of numbers that were erased under it hold no more.`,
    }
  },
})

/** Gives how many secrets were forgotten. */
async function acceptAtHand({ config, clock, withStorage }: Toolbox): Promise<number> {
  const marks = marksOf(await loadInstanceSecret(config))
  return withStorage(({ writer }) => writer.write((tx) => acceptSecrets(tx, marks, clock.now())))
}

export const secretCommands: CommandGroup = {
  summary: 'The secret of the instance, which seals stored passwords.',
  commands: { accept },
}
