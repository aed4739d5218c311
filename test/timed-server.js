import { prepare } from '../bin/prepare.js'

// `onesixty serve` with other times, for tests: no settings, for an operator would set them to what loses messages.
prepare()
const { startOverOnceStripped } = await import('../src/start-over.ts')
const { serve } = await import('../src/cli/serve.ts')
await startOverOnceStripped(process)
process.exitCode = await serve(process, {}, JSON.parse(process.argv[2] ?? ''))
