import { prepare } from '../bin/prepare.js'

// `onesixty serve` of the checkout with other times: see timed-program.ts.
prepare()
const { startOverOnceStripped } = await import('../src/start-over.ts')
await startOverOnceStripped(process)
await import('./timed-program.ts')
