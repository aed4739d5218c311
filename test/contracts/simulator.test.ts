import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type MessagePeer, startMessagePeer } from '../peers/message-peer.ts'
import { connectorContract } from './connector-contract.ts'
import { createSimulatorSubject } from './simulator-subject.ts'

const folder = mkdtempSync(join(tmpdir(), 'onesixty-peer-'))
let peer: MessagePeer

beforeAll(async () => {
  peer = await startMessagePeer(join(folder, 'peer.ndjson'))
})
afterAll(async () => {
  await peer.stop()
  rmSync(folder, { recursive: true })
})

connectorContract(
  'the simulator on its own',
  createSimulatorSubject(() => null),
  { hasPeerLog: false, takesParts: false },
)
connectorContract(
  'the simulator with a peer process',
  createSimulatorSubject(() => peer),
  { takesParts: false },
)
