import { guidePath } from '../../process/guides.ts'
import type { KindFacts } from '../kind-facts.ts'

export const httpFacts: KindFacts = {
  kind: 'http',
  label: 'messaging service',
  carries: { maxParts: 10, alphanumericSender: true, encodingChoice: false },
  trial: 'Test connection',
  addedByOwners: 'always',
  // All but those that name an address, a file or a declaration of one's own: with these a device could reach any host.
  ownerSettings: ['provider', 'window', 'max_per_second', 'status', 'balance_alert', 'country'],
  ownerSecrets: true,
  usualSettings: ['provider', 'max_per_second', 'balance_alert', 'country'],
  chosenBy: 'provider',
  secretFields: {},
  guide: guidePath('providers', 'when-something-is-wrong'),
  remedies: {
    credentials_refused:
      'The provider rejects the credentials, or the account there is not allowed to send. Check the settings and secrets of the device; after a change it tries again immediately.',
    provider_no_credit:
      'The account at the provider has no credit. Top it up there; the device tries again every minute.',
    answer_not_understood:
      'The provider answered with a redirect, or in a form that the declaration does not describe. Check the address and the declaration with {onesixty} provider check.',
    unreachable:
      'No connection to the provider. Check the network, the firewall and the address; a provider inside your own network needs ONESIXTY_PROVIDER_ALLOW.',
    address_refused:
      'The host of the provider has no public address, or is not among the hosts of the declaration. The operator can allow it with ONESIXTY_PROVIDER_ALLOW.',
    tls_failed:
      'The certificate of the provider is not trusted. Check the address, or name its CA with tls_ca_file.',
    invalid_settings: 'The settings do not allow a request. Change them with {onesixty} device set.',
    throttled:
      'The provider throttles the device, so it has slowed down. If this repeats, set max_per_second to the rate of the account.',
    callbacks_missing:
      'The provider has not called about any message for an hour. Check that ONESIXTY_PUBLIC_URL is an address that it reaches, and the addresses that are set at the provider; or set status to poll.',
    balance_low: 'The balance at the provider is at or below balance_alert. Top it up there.',
  },
}
