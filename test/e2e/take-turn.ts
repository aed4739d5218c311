import { connect, type Socket } from 'node:net'
import { afterAll, inject } from 'vitest'

/** Of this worker, which serves one file after another: a file that cannot be loaded has no hooks, and leaves its turn to the next one here. */
const worker = globalThis as { browserTurn?: Socket }
worker.browserTurn?.destroy()

/** Before a test file with a browser is loaded: its turn begins, and ends behind it (browser-turns.ts). */
const turn = connect(inject('browserTurns'), '127.0.0.1')
worker.browserTurn = turn
await new Promise<void>((resolve, reject) => {
  turn.once('data', () => resolve())
  turn.on('error', reject).on('close', () => reject(new Error('The turns of browsers have ended.')))
})
afterAll(() => void turn.destroy())
