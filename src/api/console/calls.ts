import type { Static } from 'typebox'
import type { AnyCall, Call } from './call.ts'
import { auditCalls } from './audit-calls.ts'
import { conversationCalls } from './conversation-calls.ts'
import { deviceCalls } from './device-calls.ts'
import { deviceChangeCalls } from './device-change-calls.ts'
import { deviceConnectCalls } from './device-connect-calls.ts'
import { balanceCalls } from './balance-calls.ts'
import { emailCalls } from './email-calls.ts'
import { eraseCalls } from './erase-calls.ts'
import { historyCalls } from './history-calls.ts'
import { keyCalls } from './key-calls.ts'
import { liveCalls } from './live-calls.ts'
import { operatorCalls } from './operator-calls.ts'
import { operatorTokenCalls } from './operator-token-calls.ts'
import { sendCalls } from './send-calls.ts'
import { signUpCalls } from './sign-up-calls.ts'
import { linkCalls } from './link-calls.ts'
import { resetCalls } from './reset-calls.ts'
import { profileCalls } from './profile-calls.ts'
import { passkeyCalls } from './passkey-calls.ts'
import { passkeySignInCalls } from './passkey-sign-in.ts'
import { secondFactorCalls } from './second-factor-calls.ts'
import { invitationCalls } from './invitation-calls.ts'
import { memberCalls } from './member-calls.ts'
import { startCalls } from './start-calls.ts'
import { optOutCalls } from './opt-out-calls.ts'
import { keywordCalls } from './keyword-calls.ts'
import { quietHoursCalls } from './quiet-hours-calls.ts'
import { overviewCalls } from './overview-calls.ts'
import { sessionCalls } from './session-calls.ts'
import { webhookCalls } from './webhook-calls.ts'

/** Every call of the console by its path below `/console/api/`. */
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
  ...overviewCalls,
  ...balanceCalls,
  ...webhookCalls,
}

calls satisfies Readonly<Record<string, AnyCall>>

type Calls = typeof calls
/** The names of the calls of one kind. */
export type CallName<K extends AnyCall['kind'] = AnyCall['kind']> = {
  [N in keyof Calls]: Calls[N]['kind'] extends K ? N : K extends Calls[N]['kind'] ? N : never
}[keyof Calls]

/** What a call takes. */
export type InputOf<N extends keyof Calls> = Static<Calls[N]['input']>
/** What a call gives, as JSON. */
export type AnswerOf<N extends keyof Calls> = Calls[N] extends Call<infer _A, infer _I, infer O> ? O : never
