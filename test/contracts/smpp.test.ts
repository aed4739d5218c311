import { afterAll, beforeAll } from 'vitest'
import { type SmscControl, startSmsc } from '../peers/smsc-control.ts'
import { connectorContract } from './connector-contract.ts'
import { createSmppSubject } from './smpp-subject.ts'

let smsc: SmscControl

beforeAll(async () => {
  smsc = await startSmsc()
})
afterAll(() => smsc.stop())

connectorContract(
  'SMPP to an SMSC that we did not write',
  createSmppSubject(() => smsc),
)
