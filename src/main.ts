import { runCommandLine } from './cli/command-line.ts'
import { findOwnCommand } from './process/installation.ts'
import { stateOwnCommand } from './process/own-command.ts'

// The files that this process writes contain texts, numbers or secrets: readable only by their owner.
process.umask(0o077)
stateOwnCommand(findOwnCommand(process))

process.exitCode = await runCommandLine(process.argv.slice(2), process, async (options) => {
  const { serve } = await import('./cli/server/serve.ts')
  return serve(process, options)
})
