import type { Static } from 'typebox'
import type { AnyCall, Call } from './core/call.ts'
import { auditCalls } from './operator/audit-calls.ts'
import { conversationCalls } from './messages/conversation-calls.ts'
import { deviceCalls } from './devices/device-calls.ts'
import { deviceChangeCalls } from './devices/device-change-calls.ts'
import { connectGuideCalls } from './devices/connect-guide-calls.ts'
import { providerCalls } from './devices/provider-calls.ts'
import { deviceConnectCalls } from './devices/device-connect-calls.ts'
import { findPhoneCalls } from './devices/find-phone-calls.ts'
import { orderCalls } from './devices/order-calls.ts'
import { portCalls } from './devices/port-calls.ts'
import { reachCalls } from './devices/reach-calls.ts'
import { balanceCalls } from './account/balance-calls.ts'
import { emailCalls } from './sign-in/email-calls.ts'
import { eraseCalls } from './operator/erase-calls.ts'
import { historyCalls } from './messages/history-calls.ts'
import { keyCalls } from './account/key-calls.ts'
import { liveCalls } from './live/live-calls.ts'
import { operatorCalls } from './operator/operator-calls.ts'
import { operatorTokenCalls } from './operator/operator-token-calls.ts'
import { ruleCalls } from './operator/rule-calls.ts'
import { sendCalls } from './messages/send-calls.ts'
import { signUpCalls } from './sign-in/sign-up-calls.ts'
import { linkCalls } from './sign-in/link-calls.ts'
import { resetCalls } from './sign-in/reset-calls.ts'
import { profileCalls } from './sign-in/profile-calls.ts'
import { passkeyCalls } from './sign-in/passkey-calls.ts'
import { passkeySignInCalls } from './sign-in/passkey-sign-in.ts'
import { secondFactorCalls } from './sign-in/second-factor-calls.ts'
import { invitationCalls } from './account/invitation-calls.ts'
import { memberCalls } from './account/member-calls.ts'
import { startCalls } from './account/start-calls.ts'
import { optOutCalls } from './messages/opt-out-calls.ts'
import { keywordCalls } from './messages/keyword-calls.ts'
import { quietHoursCalls } from './messages/quiet-hours-calls.ts'
import { overviewCalls } from './messages/overview-calls.ts'
import { sessionCalls } from './sign-in/session-calls.ts'
import { webhookCalls } from './account/webhook-calls.ts'

/** All calls of the console by their path below `/console/api/`. */
export const calls = {
  ...sessionCalls,
  ...passkeySignInCalls,
  ...signUpCalls,
  ...linkCalls,
  ...resetCalls,
  ...profileCalls,
  ...secondFactorCalls,
  ...passkeyCalls,
  ...memberCalls,
  ...invitationCalls,
  ...startCalls,
  ...liveCalls,
  ...keyCalls,
  ...sendCalls,
  ...operatorCalls,
  ...operatorTokenCalls,
  ...ruleCalls,
  ...auditCalls,
  ...historyCalls,
  ...conversationCalls,
  ...optOutCalls,
  ...quietHoursCalls,
  ...keywordCalls,
  ...emailCalls,
  ...eraseCalls,
  ...deviceCalls,
  ...deviceChangeCalls,
  ...deviceConnectCalls,
  ...providerCalls,
  ...connectGuideCalls,
  ...findPhoneCalls,
  ...orderCalls,
  ...portCalls,
  ...reachCalls,
  ...overviewCalls,
  ...balanceCalls,
  ...webhookCalls,
}

calls satisfies Readonly<Record<string, AnyCall>>

type Calls = typeof calls
/** Names of the calls of one kind. */
export type CallName<K extends AnyCall['kind'] = AnyCall['kind']> = {
  [N in keyof Calls]: Calls[N]['kind'] extends K ? N : K extends Calls[N]['kind'] ? N : never
}[keyof Calls]

/** Input of a call. */
export type InputOf<N extends keyof Calls> = Static<Calls[N]['input']>
/** Response of a call, as JSON. */
export type AnswerOf<N extends keyof Calls> = Calls[N] extends Call<infer _A, infer _I, infer O> ? O : never
