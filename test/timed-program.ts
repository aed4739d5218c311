import type { Socket } from 'node:net'
import { serve } from '../src/cli/server/serve.ts'
import type { Times } from '../src/runtime/times.ts'

// `onesixty serve` with other times, for tests: no settings, for an operator would set them to what loses messages.
process.umask(0o077)
// A run that is killed from outside stops no server: this one ends with the process that started it.
process.stdin.on('end', () => process.exit(1)).resume()
;(process.stdin as Socket).unref()
process.exitCode = await serve(process, {}, JSON.parse(process.argv[2] ?? '') as Times)
