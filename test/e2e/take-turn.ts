import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, inject } from 'vitest'

/** Before a test file with a browser is loaded: its turn begins, and ends behind it (browser-turns.ts). */
const turn = connect(inject('browserTurns'), '127.0.0.1')
await once(turn, 'data')
afterAll(() => void turn.destroy())
