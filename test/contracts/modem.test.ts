import { afterAll, beforeAll } from 'vitest'
import { startAtModem } from '../peers/at-modem-control.ts'
import { connectorContract } from './connector-contract.ts'
import { createModemSubject } from './modem-subject.ts'

let modem: Awaited<ReturnType<typeof startAtModem>>

beforeAll(async () => {
  modem = await startAtModem({ clock: 'stub' })
})
afterAll(() => modem.stop())

connectorContract(
  'a modem that speaks AT',
  createModemSubject(() => modem),
)
