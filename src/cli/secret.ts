import { loadInstanceSecret, marksOf } from '../instance-secret.ts'
import { acceptSecret } from '../storage/secret-mark.ts'
import { command, type CommandGroup } from './command.ts'

const accept = command({
  summary:
    'Goes on with the secret that is there now, where the one that the database was made with is lost.',
  details:
    'A server does not start with another secret than its database was made with. What was sealed with the lost one stays unreadable: set passwords of links again (device set), and let people set up their second factors anew. Opt-outs of numbers that were erased hold no more.',
  arguments: [],
  options: {},
  async run(tools) {
    const marks = marksOf(await loadInstanceSecret(tools.config))
    await tools.withStorage(({ writer }) => writer.write((tx) => acceptSecret(tx, marks)))
    return {
      json: { accepted: true },
      text: 'The secret that is there now is the one of this database. Set passwords of links again: onesixty device set.',
    }
  },
})

export const secretCommands: CommandGroup = {
  summary: 'The secret of the instance, which seals stored passwords.',
  commands: { accept },
}
