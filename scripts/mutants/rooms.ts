/** What is changed, and whose tests must notice. */
export interface MutantRoom {
  name: string
  /** What it is, in the words of the report. */
  what: string
  sources: readonly string[]
  /** Test files beside `alwaysTried`. */
  tests: readonly string[]
}

/** Of these only what reaches the changed lines is run; each is in the thread of its test, where a change can be seen. */
const alwaysTried = ['test/unit/*.test.ts', 'test/messages/*.test.ts', 'test/ledger/*.test.ts']

const room = (
  name: string,
  what: string,
  sources: readonly string[],
  tests: readonly string[] = [],
): MutantRoom => ({ name, what, sources, tests: [...alwaysTried, ...tests] })

/** What measures times fails on a busy machine without any change. */
export const untried = ['test/unit/sms-text-linear.test.ts']

export const mutantRooms: readonly MutantRoom[] = [
  room(
    'texts',
    'alphabets, parts and look-alikes',
    ['src/{gsm7,sms-text,smart-encoding,ucs2,part-reference}.ts', 'src/messages/keywords.ts', 'src/api/v1/send-text.ts'],
    ['test/api/send*.test.ts'],
  ),
  room(
    'numbers',
    'telephone numbers and where they belong',
    ['src/{phone-number,sender-number,numbering-plan,number-hash,test-number}.ts', 'src/messages/number-list.ts', 'src/api/v1/send-recipients.ts'],
    ['test/api/send*.test.ts', 'test/devices/*.test.ts'],
  ),
  room('ledger', 'grants, holds and charges', ['src/ledger/*.ts'], ['test/api/*.test.ts', 'test/operator/*.test.ts']),
  room(
    'receipts',
    'what the network says later',
    ['src/connectors/smpp/receipt*.ts', 'src/messages/*receipt*.ts', 'src/messages/recycled-ids.ts', 'src/dispatch/{receipt-store,receipt-closer,resume-receipts}.ts'],
    ['test/smpp/*.test.ts', 'test/dispatch/*.test.ts'],
  ),
  room(
    'authentication',
    'API keys, tokens and passwords',
    ['src/accounts/{api-key-format,api-keys,authenticator,operator-tokens,password-hash,rotate-api-key,secret-token,address-list}.ts', 'src/api/authenticate.ts'],
    ['test/accounts/*.test.ts', 'test/api/*.test.ts', 'test/operator/*.test.ts'],
  ),
  room(
    'sending',
    'what is asked of a send, and whether it fits',
    ['src/api/v1/{prepare-send,send-body,send-policy,recipient-guard,recipient-rate,velocity,pumping-watch,planned-rate,send-answer,send-warnings,idempotency}.ts', 'src/messages/{decide-sends,send-messages,find-replays}.ts'],
    ['test/api/*.test.ts'],
  ),
  room(
    'messages',
    'the states of a message and its queue',
    ['src/messages/{advance-messages,claim-messages,state,release-due,defer-quiet,deferred,end-waiting,cancel-messages,leave-queue,settle-outcomes,doubtful-parts,late-yes,open-attempts,quiet-hours,phone-offers,opt-outs,store-opt-outs,follow-keyword}.ts'],
    ['test/dispatch/*.test.ts', 'test/phones/{desk,desk-pace,fetch-routes,fair-turns,phones-model,recaller,sent-words,words-and-recalls}.test.ts', 'test/api/send*.test.ts'],
  ),
  room(
    'dispatch',
    'which device, when, and what next',
    ['src/dispatch/{choose-device,retry-policy,breaker,route-ring,pace,sim-paces,throughput,sharers,resting-phones,ready-claims,fetch-turns,sound-outcome}.ts'],
    ['test/dispatch/*.test.ts', 'test/phones/{desk,desk-pace,fetch-routes,fair-turns}.test.ts'],
  ),
] // prettier-ignore
