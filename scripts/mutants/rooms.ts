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
    ['src/sms/*.ts', 'src/settings/off-words.ts', 'src/messages/{keywords,check-keyword-set}.ts', 'src/api/v1/send-text.ts'],
    ['test/api/send*.test.ts'],
  ),
  room(
    'numbers',
    'telephone numbers and where they belong',
    ['src/numbers/*.ts', 'src/messages/{number-list,number-spellings,written-numbers,stopped-twins,times-to-numbers}.ts', 'src/api/v1/send-recipients.ts'],
    ['test/api/send*.test.ts', 'test/devices/*.test.ts'],
  ),
  room('ledger', 'grants, holds and charges', ['src/ledger/*.ts'], ['test/api/*.test.ts', 'test/operator/*.test.ts']),
  room(
    'receipts',
    'what the network says later',
    ['src/connectors/smpp/{receipt*,unread,known-ids,message-id,incoming}.ts', 'src/messages/*receipt*.ts', 'src/messages/{recycled-ids,open-parts,waiting-parts,network-ids,group-members,phone-words}.ts', 'src/dispatch/{receipt-store,receipt-closer,resume-receipts}.ts'],
    ['test/smpp/*.test.ts', 'test/dispatch/*.test.ts'],
  ),
  room(
    'authentication',
    'API keys, tokens and passwords',
    ['src/accounts/{api-key-format,api-keys,authenticator,operator-tokens,password-hash,rotate-api-key,secret-token,address-list,second-factors,second-factor-codes,totp,password-rules,one-time-links,email-links,address-proof,account-guard}.ts', 'src/api/authenticate.ts'],
    ['test/accounts/*.test.ts', 'test/api/*.test.ts', 'test/operator/*.test.ts', 'test/console/{identity,identity-limits,links,mail,second-factor,changed-secret,ended-meanwhile}.test.ts'],
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
    ['src/messages/{advance-messages,claim-messages,state,release-due,defer-quiet,deferred,end-waiting,cancel-messages,leave-queue,settle-outcomes,doubtful-parts,late-yes,open-attempts,quiet-hours,phone-offers,phone-recalls,unended-offers,opt-outs,store-opt-outs,follow-keyword,answer-keyword,account-keywords,keyword-sets,receive-messages,inbound-fragments,end-deferred,end-doubts,wake-quiet,queue-place,last-sender,last-submitted}.ts'],
    ['test/dispatch/*.test.ts', 'test/phones/{desk,desk-pace,fetch-routes,fair-turns,phones-model,recaller,sent-words,words-and-recalls}.test.ts', 'test/api/send*.test.ts'],
  ),
  room(
    'dispatch',
    'which device, when, and what next',
    ['src/dispatch/{choose-device,retry-policy,breaker,route-ring,pace,sim-paces,throughput,sharers,resting-phones,ready-claims,fetch-turns,held-offers,sound-outcome,another-device,claims-in-doubt,device-trust,doubt,doubtful,known-senders,stopped-claims,trial-watch,untold-offers,phone-desk,phone-report,phone-reports,due-routes,queue-clock}.ts'],
    ['test/dispatch/*.test.ts', 'test/phones/{desk,desk-pace,fetch-routes,fair-turns}.test.ts'],
  ),
] // prettier-ignore

/** Folders of which every file is in a room, or stands in `besideRooms`: so that a new one is left out by nobody's oversight. */
export const foldersOfRooms: readonly string[] = ['src/*.ts', 'src/{app,messages,dispatch,ledger,accounts,process,sms,numbers,runtime}/*.ts', 'src/connectors/smpp/*.ts', 'src/api/*.ts', 'src/api/v1/*.ts'] // prettier-ignore

/** What no room changes, and why. */
export const besideRooms: readonly { files: readonly string[]; because: string }[] = [
  {
    because: 'It builds, starts and stops what others are: that is seen by processes, which tests of a room do not begin.',
    files: [
      'src/{config,main,start-over}.ts',
      'src/app/{app,console,credentials,device-pool,http,inbound,open-account,own-node,phones,start-order,webhook-delivery,wiring}.ts',
      'src/process/{data-folder,durable-file,garbage,gauge-reads,instance-secret,lifecycle,log,mailer,metrics,node-name,own-address,program-files,program-version,tls-files}.ts',
      'src/runtime/{all-done,batcher,derived-keys}.ts',
      'src/dispatch/{device-facts,device-pool,device-runtime,device-slot,dispatch-units,dispatcher,hand-over,hand-over-log,janitor,janitors,routed-device,routing}.ts',
      'src/messages/{acceptor,units}.ts',
      'src/api/{mount,respond,request-target,routes,server,silent-connections}.ts',
    ],
  },
  {
    because: 'A primitive that every room stands on: what is wrong in it fails everywhere.',
    files: ['src/runtime/{agreed-clock,bounded-map,clock,errors,ids,invalid-input,nearest-name,recent-times,shared-counts,times,try-limit}.ts'],
  },
  {
    because: 'Several nodes, or time that passes: held by proofs (`npm run prove`).',
    files: [
      'src/dispatch/{alert-mailer,alert-watch,counts-in-words,device-event,device-reporter,devices-elsewhere,drained,due-releaser,ended,expirer,forget-old,fragment-closer,gauges,inbound-rate,inbound-receiver,key-use-recorder,link-leases,node-beats,node-news,outcome-store,phone-caller,phone-closer,phone-recaller,progress-keeper,quiet-accounts,recall-report,refiller,rescuer,retention,route-refill,stranded-watch,test-simulator,traffic-forgetter,unread-keeper,unread-notes,wallets-behind,webhook-forgetter}.ts',
      'src/messages/{history-floor,history-horizon,open-horizon,old-keys,remove-old-messages,time-scale,message-windows,oldest-waiting}.ts',
    ],
  },
  {
    because: 'It shows what is stored, or says what it is.',
    files: [
      'src/messages/{audit,conversations,event-id,event-types,events,history,history-by-creation,history-cursor,history-export,history-query,history-search,history-span,history-timeline,history-update-sources,history-updates,history-waiting,inbound-message,message-errors,message-store,message-story,read-traffic,send-request,settlement,traffic,traffic-audit,webhook-audit}.ts',
      'src/api/{account-limits,change-account-state,client-error,field-faults,guard,instant,json-body,known-paths,media-types,openapi,openapi-components,openapi-document,openapi-headers,openapi-webhooks,operation,operations,problem,query,rate-limit,read-object,remote-address}.ts',
      'src/api/v1/{balance,device-report-view,history,message-example,message-view,send,send-examples,send-ports,status,test-numbers,warning-schema}.ts',
    ],
  },
  {
    because: 'Rare work of a person on an account: opened, changed, closed, erased, moved.',
    files: [
      'src/accounts/{account-owner,accounts,erase-alerts,erase-audit,erase-keys,erase-people,list-accounts,members,operator-account,passkeys,password-link,passwords,quiet-hours,users}.ts',
      'src/messages/{account-changes,cancel-for-closing,cancel-of-closed,change-account-state,erase,erase-account,erase-account-messages,erase-account-traces,erase-deps,erase-number,erase-number-traces,erase-page,erase-webhooks,erased-number,manage-opt-outs,move-messages,pause-for-pumping}.ts',
    ],
  },
  {
    because: 'The protocol of a link, which tests drive over sockets.',
    files: [
      'src/connectors/smpp/{address,alarm,bind-bodies,bind-outcome,binding,bindings,body-codecs,command-status-class,connection,cursor,decode-pdu,deliveries,delivery-fate,describe-pdu,encode-pdu,encode-text,frame-reader,halves,inbound-text,keep-alive,late-answers,leaving,link,link-health,link-plan,live-settings,message-body,open-hand-overs,open-list,open-socket,operation-bodies,pace,part-answer,part-validity,pdu,reconnect-policy,references,request-outcome,requests,session,session-events,session-settings,setting-readers,settings,sink,smpp,submit-message,submit-parts,take-pdu,throttle,try-bind,validity-period,write-buffer}.ts',
    ],
  },
] // prettier-ignore
