import { serve } from '../src/cli/serve.ts'
import type { Times } from '../src/runtime/times.ts'

// `onesixty serve` with other times, for tests: no settings, for an operator would set them to what loses messages.
process.umask(0o077)
process.exitCode = await serve(process, {}, JSON.parse(process.argv[2] ?? '') as Times)
