import { guidePath } from '../../process/guides.ts'
import type { KindFacts } from '../kind-facts.ts'

export const simulatorFacts: KindFacts = {
  kind: 'simulator',
  label: 'simulator',
  isSimulated: true,
  carries: { maxParts: 10, alphanumericSender: true, encodingChoice: true },
  addedByOwners: 'in_test_mode',
  notAdded: 'Your own simulators carry only test messages. Switch to Test at the top of the page.',
  // All but peer_url, an address to which this server posts messages.
  ownerSettings: ['offline', 'delay_ms', 'submit_delay_ms', 'refuse', 'fail', 'drop_receipts', 'window'],
  usualSettings: ['window', 'offline', 'delay_ms', 'refuse', 'drop_receipts'],
  controlledSettings: ['offline', 'drop_receipts', 'refuse', 'delay_ms'],
  guide: guidePath('simulators', 'failing-on-purpose'),
  remedies: {},
}
