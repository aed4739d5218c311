import { both, embedded, type Proof } from './proof.ts'

/** Of what stands outside: SMSCs, phones, and those who are told by webhooks. */
export const deviceProofs: readonly Proof[] = [
  {
    name: 'smpp',
    summary: 'an SMSC that throttles, drops, half-opens, stalls, or answers late: nothing goes twice, no session is stuck',
    projects: embedded,
    files: ['test/smpp/binding-waits.test.ts', 'test/smpp/link-dead.test.ts', 'test/smpp/link-doubts.test.ts', 'test/smpp/link-faults.test.ts', 'test/smpp/link-pace.test.ts', 'test/smpp/link-pair.test.ts', 'test/smpp/link-changes.test.ts', 'test/smpp/link-whole.test.ts', 'test/smpp/many-messages.test.ts', 'test/smpp/session-deliveries.test.ts', 'test/smpp/foreign-tls.test.ts', 'test/smpp/foreign-sessions.test.ts'],
    isTimed: true,
    sizes: ['SMSC_MESSAGES'],
    catches: ['smpp-again-after-time-out', 'smpp-fate-keeps-its-session', 'smpp-full-handset-slows-all', 'smpp-full-queue-keeps-its-place', 'smpp-full-queues-add-up', 'smpp-half-is-given-up', 'smpp-half-outlives-its-validity', 'smpp-halves-take-no-room', 'smpp-no-doubt', 'smpp-receipt-before-store', 'smpp-receiver-submits', 'smpp-rest-goes-after-stop', 'smpp-same-words-are-a-repeat', 'smpp-stop-cuts-in-half', 'smpp-throttled-is-a-try', 'smpp-tls-unchecked', 'smpp-waiting-part-goes-after-stop', 'smpp-yes-believed-to-arrive'],
  },
  {
    name: 'smpp-garbage',
    summary: 'whatever bytes an SMSC sends, each session answers, ends or goes on, and none is stuck; each request has one true outcome',
    projects: embedded,
    files: ['test/smpp/session-hostile.test.ts', 'test/smpp/session-framing.test.ts', 'test/smpp/session-model.test.ts', 'test/smpp/session-life.test.ts', 'test/smpp/session-bind.test.ts', 'test/smpp/session-unbind.test.ts'],
    sizes: ['GARBAGE_PDUS', 'SESSION_RUNS'],
    catches: ['smpp-begun-pdu-waited-for', 'smpp-dead-peer-trusted'],
  },
  {
    name: 'phones',
    summary: 'a thousand phones, the 28 checks of the app’s protocol, and whatever phones, people and time do in whatever order, phones that are offline for days among it',
    projects: [...embedded, 'crash'],
    files: ['test/phones/phones-model.test.ts', 'test/phones/conformance.test.ts', 'test/crash/thousand-phones.test.ts', 'test/crash/fifty-phones.test.ts', 'test/phones/restarts.test.ts', 'test/phones/cancel-messages.test.ts', 'test/phones/gateway.test.ts', 'test/phones/unclear-failures.test.ts', 'test/phones/gateway-pace.test.ts', 'test/phones/phone-life.test.ts', 'test/phones/phone.test.ts', 'test/phones/phone-health.test.ts', 'test/phones/phone-clock.test.ts', 'test/phones/registrations.test.ts', 'test/phones/private-tokens.test.ts', 'test/phones/routes.test.ts', 'test/phones/device-route.test.ts', 'test/phones/fetch-routes.test.ts', 'test/phones/report-route.test.ts', 'test/phones/hook-route.test.ts', 'test/phones/event-route.test.ts', 'test/phones/visits-never-twice.test.ts', 'test/phones/visits-inbox.test.ts', 'test/phones/visits.test.ts', 'test/phones/find-phones.test.ts', 'test/phones/entry-reports.test.ts'],
    isTimed: true,
    sizes: ['PHONE_SEQUENCES', 'LOST_ANSWERS', 'PHONE_MESSAGES', 'PHONE_HOUSE_KILLS'],
    catches: ['late-words-of-phones-charge', 'offers-outlive-their-phone', 'visited-again-under-a-new-id', 'visited-cleared-data-unnoticed', 'visited-failed-after-sent-is-free', 'visited-inbox-by-watermark', 'visited-offers-before-inbox', 'visited-password-to-a-stranger', 'visited-preview-for-text'],
  },
  {
    name: 'sick-devices',
    summary: 'devices that fail, hang, refuse or are cut, in changing order: while a sound one works no message waits for them or is refused for good by them, a new fault costs five messages at most, and one that is alone still gets its turns',
    projects: both,
    files: ['test/unit/doubt.test.ts', 'test/unit/choose-device.test.ts', 'test/unit/choose-doubted.test.ts', 'test/dispatch/sick-links.test.ts', 'test/phones/sick-phones.test.ts'],
    sizes: ['SICK_LINKS'],
    catches: ['doubted-among-the-sound', 'full-pages-for-new-faults', 'lone-device-never-tried', 'refused-by-the-same-again', 'waits-elsewhere-unfound'],
  },
  {
    name: 'shared-receipts',
    summary: 'two hosts of one carrier whose receipts come over the other session, early, late and of lost answers: each moves the message that it is about, and where two await one id the recipient decides',
    projects: both,
    files: ['test/messages/shared-receipts.test.ts'],
    sizes: [],
    catches: ['receipts-of-any-number', 'receipts-stay-with-the-host'],
  },
  {
    name: 'webhooks',
    summary: 'endpoints that hang, drip, redirect, flood, answer 410 or 429 stand in nobody’s way; addresses inside are not reached in any spelling; events are told again under the same id with the same words',
    projects: embedded,
    files: ['test/webhooks/address-guard.test.ts', 'test/webhooks/hostile-receivers.test.ts', 'test/webhooks/lanes.test.ts', 'test/webhooks/deliverer.test.ts', 'test/webhooks/repeats.test.ts', 'test/webhooks/disabled-endpoints.test.ts', 'test/webhooks/failing-endpoints.test.ts', 'test/webhooks/public-reports.test.ts'],
    isTimed: true,
    sizes: [],
    catches: ['webhook-hanging-take-all', 'webhook-literal-unguarded', 'webhook-lost-with-its-server', 'webhook-tells-the-present', 'webhook-tls-unguarded'],
  },
  {
    name: 'webhook-kills',
    summary: 'kills while events are delivered lose none of them',
    projects: ['crash'],
    files: ['test/crash/webhooks.test.ts'],
    sizes: ['WEBHOOK_KILLS'],
    catches: ['webhook-done-when-begun'],
  },
] // prettier-ignore
