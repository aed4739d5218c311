import { expect, test } from 'vitest'
import { connectorKinds, factsOf, loadConnectorKind, testKind } from '../../src/connectors/registry.ts'
import { nonsense as androidNonsense } from './android-nonsense.ts'
import { nonsense as httpNonsense } from './http-nonsense.ts'
import { kindContract, type KindSubject } from './kind-contract.ts'
import { nonsense as modemNonsense } from './modem-nonsense.ts'
import { nonsense as simulatorNonsense } from './simulator-nonsense.ts'
import { nonsense as smppNonsense } from './smpp-nonsense.ts'

type Given = Pick<KindSubject, 'required' | 'secrets' | 'nonsense'>

const subjects: Readonly<Record<string, Given>> = {
  simulator: { required: {}, secrets: {}, nonsense: simulatorNonsense },
  android: { required: {}, secrets: {}, nonsense: androidNonsense },
  http: {
    required: { provider: 'twilio', account_sid: 'AC1' },
    secrets: { auth_token: 'secret' },
    nonsense: httpNonsense,
  },
  smpp: {
    required: { host: '127.0.0.1', port: '2775', system_id: 'esme' },
    secrets: { password: 'secret' },
    nonsense: smppNonsense,
  },
  modem: { required: { port: 'tcp://127.0.0.1:2003' }, secrets: { pin: '1234' }, nonsense: modemNonsense },
}

test('every kind is tried, and test messages go to a kind that sends nothing', () => {
  expect(factsOf(testKind)).toMatchObject({ isSimulated: true })
  expect(Object.keys(subjects).toSorted()).toEqual(connectorKinds.toSorted())
})

for (const [name, given] of Object.entries(subjects)) {
  const [facts, kind] = [factsOf(name), await loadConnectorKind(name)]
  if (facts === null || kind === null) throw new Error(`${name} is not in the registry`)
  kindContract({ facts, kind, ...given })
}
