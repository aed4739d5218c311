import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type PeerProcess, startPeerProcess } from '../peers/peer-process.ts'
import { connectorContract } from './connector-contract.ts'
import { createHttpSubject } from './http-subject.ts'

let peer: PeerProcess<{ port: number }>

beforeAll(async () => {
  peer = await startPeerProcess(join(import.meta.dirname, '../peers/provider-peer.ts'), [])
})
afterAll(() => peer.kill())

connectorContract(
  'a messaging service over HTTP, by the declaration of Vonage',
  createHttpSubject(() => peer),
)
