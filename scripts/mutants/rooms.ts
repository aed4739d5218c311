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
    ['src/sms/*.ts', 'src/settings/off-words.ts', 'src/messages/*/{keywords,check-keyword-set}.ts', 'src/sending/send-text.ts'],
    ['test/api/send*.test.ts'],
  ),
  room(
    'numbers',
    'telephone numbers and where they belong',
    ['src/numbers/*.ts', 'src/messages/*/{number-list,numbers-sent-to,read-opt-outs,times-to-numbers}.ts', 'src/sending/send-recipients.ts'],
    ['test/api/send*.test.ts', 'test/devices/*.test.ts'],
  ),
  room('ledger', 'grants, holds and charges', ['src/ledger/*.ts'], ['test/api/*.test.ts', 'test/operator/*.test.ts', 'test/phones/own-devices.test.ts']),
  room(
    'receipts',
    'what the network says later',
    ['src/smpp/*/receipt*.ts', 'src/connectors/smpp/*/{unparsed,known-ids,incoming}.ts', 'src/smpp/*/message-id.ts', 'src/messages/*/*receipt*.ts', 'src/messages/*/{recycled-ids,close-waits,open-parts,network-ids,group-members,merge-phone-report}.ts', 'src/dispatch/*/{receipt-store,receipt-expirer,resume-receipts,resume-unknown}.ts'],
    ['test/smpp/*.test.ts', 'test/dispatch/*.test.ts', 'test/phones/restarts.test.ts'],
  ),
  room(
    'authentication',
    'API keys, tokens and passwords',
    ['src/accounts/*/{api-key-format,api-keys,authenticator,operator-tokens,password-hash,rotate-api-key,secret-token,second-factors,second-factor-codes,totp,password-rules,one-time-links,email-links,address-proof,account-guard}.ts', 'src/runtime/address-list.ts', 'src/api/edge/authenticate.ts'],
    ['test/accounts/*.test.ts', 'test/api/*.test.ts', 'test/operator/*.test.ts', 'test/console/{identity,identity-limits,links,mail,second-factor,changed-secret,ended-meanwhile}.test.ts'],
  ),
  room(
    'sending',
    'what is asked of a send, and whether it fits',
    ['src/sending/{sender,idempotency,authentication-rate,own-purse,choose-ways,explain-send,prepare-send,send-body,send-policy,recipient-rate,pumping-watch,planned-rate,send-metadata,send-warnings}.ts', 'src/runtime/sliding-count.ts', 'src/api/v1/send-answer.ts', 'src/api/edge/idempotency-key.ts', 'src/messages/*/{decide-sends,send-messages,find-replays}.ts'],
    ['test/api/*.test.ts'],
  ),
  room(
    'messages',
    'the states of a message and its queue',
    ['src/messages/*/{advance-messages,change-number,message-changes,lone-sends,send-ids,history-updates,history-updates-of-few,lost-waits,open-attempt,own-payers,stranded,claim-messages,take-from-queue,within-paces,within-quotas,in-queue-order,route-key,state,release-due,defer-for-quiet-hours,deferred,finish-queued,cancel-messages,dequeue,settle-outcomes,attempt-evidence,verdict,evidence-store,queue-move,verdict-facts,move-by-evidence,raise-attempt,requeue-or-end,report-parts,retract-deliveries,unknown-parts,unknown-attempts,rivals,open-claims,quiet-until,phone-offers,read-offers,phone-recalls,unfinished-offers,opt-out-cache,store-opt-outs,apply-keyword,answer-keyword,account-keywords,keyword-sets,receive-messages,inbound-fragments,forget-unknown-parts,queue-position,accounts-that-sent,apply-ways,route-of-recipient,read-claimable,known-of-route,plan-rooms,count-changes,followers,queue-total-rows}.ts'],
    ['test/dispatch/*.test.ts', 'test/phones/{cancel-messages,crowds,fair-turns,fetch-routes,gateway,gateway-pace,open-offers,own-devices,phone-trials,phones-model,recaller,reported-times,restarts,sent-words,sick-phones,unclear-failures,words-and-recalls}.test.ts', 'test/api/send*.test.ts', 'test/history/{changes,paged-changes,updates}.test.ts'],
  ),
  room(
    'dispatch',
    'which device, when, and what next',
    ['src/dispatch/*/{choose-device,retry-policy,breaker,route-ring,rate-limit,sim-paces,throughput,eligible-devices-count,disabled-phones,ready-claims,fetch-turns,held-offers,valid-outcome,another-device,orphaned-claims,device-trust,doubt,unknown-outcome,known-senders,half-open-phones,unreported-offers,phone-gateway,phone-report,phone-reports,report-merge,due-routes,queue-clock,walk-way,choose-rule,drawn-ways,candidate,plan-claims,message-sizes,claim-planner,route-book,explain-route,explain-question,reported-candidates,plan-states,rest-of-way}.ts'],
    ['test/dispatch/*.test.ts', 'test/phones/{cancel-messages,crowds,fair-turns,fetch-routes,gateway,gateway-pace,open-offers,own-devices,phone-trials,phones-model,recaller,reported-times,restarts,sent-words,sick-phones,unclear-failures,words-and-recalls}.test.ts'],
  ),
] // prettier-ignore

/** Folders of which every file is in a room, or stands in `besideRooms`: so that a new one is left out by nobody's oversight. */
export const foldersOfRooms: readonly string[] = ['src/*.ts', 'src/{app,sending,messages,messages/*,privacy,dispatch,dispatch/*,ledger,accounts,accounts/*,process,sms,numbers,runtime}/*.ts', 'src/connectors/smpp/*.ts', 'src/connectors/smpp/*/*.ts', 'src/smpp/*/*.ts', 'src/api/*.ts', 'src/api/{edge,reference,v1}/*.ts'] // prettier-ignore

/** What no room changes, and why. */
export const besideRooms: readonly { files: readonly string[]; because: string }[] = [
  {
    because: 'It builds, starts and stops what others are: that is seen by processes, which tests of a room do not begin.',
    files: [
      'src/{config,main}.ts',
      'src/app/{agree-on-time,app,console,create-pool,credentials,http,inbound,open-account,open-reach,own-node,phone-listener,phones,providers,send-ports,start-order,webhook-delivery,wiring}.ts',
      'src/process/{data-folder,durable-file,folder-files,garbage,gauge-reads,guides,installation,instance-secret,lifecycle,log,mailer,metrics,node-name,own-address,own-command,program-files,program-version,reference-script,tls-files}.ts',
      'src/runtime/{plain-text,schemas,secret-box,all-done,batcher,derived-keys}.ts',
      'src/dispatch/*/{device-facts,device-pool,device-runtime,device-slot,link-tools,dispatch-units,dispatcher,submission,submission-log,sweeper,sweepers,routed-device,routing}.ts',
      'src/messages/send/accept-send.ts',
      'src/messages/units.ts',
      'src/api/{routes,server}.ts', 'src/api/edge/{mount,record-request,respond,response-text,request-target,silent-connections}.ts',
    ],
  },
  {
    because: 'A primitive that every room stands on: what is wrong in it fails everywhere.',
    files: ['src/runtime/{agreed-clock,bounded-map,clock,errors,ids,invalid-input,nearest-name,private-addresses,read-up-to,recent-times,shared-counts,times}.ts'],
  },
  {
    because: 'Several nodes, or time that passes: held by proofs (`npm run prove`).',
    files: [
      'src/dispatch/*/{ahead-remover,alert-mailer,alert-watch,pack-counts,device-event,device-reporter,remote-devices,drained-health,due-releaser,finished-submission,expirer,purge-old,fragment-expirer,gauges,inbound-rate,inbound-receiver,key-use-recorder,link-leases,heartbeats,broadcasts,canary-runner,follower-sender,canary-senders,phone-canaries,outcome-store,phone-waker,offer-expirer,lost-wait-expirer,send-recalls,progress-keeper,quiet-hours-cache,report-recalls,test-credit-refill,rescuer,retention,route-refill,unroutable-messages,test-simulator,traffic-purger,unread-keeper,unused-ways,unparsed-notes,wallets-after,webhook-purger}.ts',
      'src/messages/*/time-scale.ts',
      'src/privacy/{purge-idempotency-keys,remove-ahead-messages,remove-old-changes,remove-old-messages}.ts',
    ],
  },
  {
    because: 'It shows what is stored, or says what it is.',
    files: [
      'src/messages/*/{message-audit,plan-audit,purse-audit,conversations,event-types,events,history,history-by-creation,history-cursor,history-export,history-query,history-search,history-timeline,inbound-message,message-errors,message-store,message-details,queue-totals,read-traffic,send-request,settlement,traffic,traffic-audit}.ts',
      'src/dispatch/devices/{explain-on-pool,guide-known}.ts',
      'src/sending/account-limits.ts', 'src/api/edge/{client-error,failed-authentications,guard,handled-request,json-body,known-paths,media-types,operation,problem,query,read-body,remote-address,serve-operation}.ts', 'src/api/reference/{openapi,openapi-components,openapi-document,openapi-headers,openapi-webhooks}.ts', 'src/runtime/{call-limit,field-faults,instant,rate-limiter,schema-faults}.ts',
      'src/api/v1/{balance,device-report-view,guard,history,message-example,message-view,canary-view,operation,operations,plan-view,routing-view,send,send-examples,status,warning-schema}.ts', 'src/sending/{send-ports,test-answers}.ts',
    ],
  },
  {
    because: 'Rare work of a person on an account: opened, changed, closed, erased, moved.',
    files: [
      'src/dispatch/devices/store-local-phone.ts',
      'src/accounts/*/{account-owner,account-plan,accounts,limit-api-keys,list-accounts,members,operator-account,own-devices,passkeys,password-link,passwords,quiet-hours,users}.ts', 'src/privacy/{erase-devices,erase-notes,erase-alerts,erase-audit,erase-keys,erase-people}.ts',
      'src/messages/*/{change-hints,cancel-before-closing,cancel-closed-account,change-account-state,erased-number,manage-opt-outs,move-messages,pause-for-pumping}.ts',
      'src/privacy/{erase-texts,erase-account,erase-account-messages,erase-account-traces,erase-deps,erase-number,erase-number-traces,erase-page,erase-webhooks}.ts',
    ],
  },
  {
    because: 'The protocol of a link, which tests drive over sockets.',
    files: [
      'src/smpp/*/{session-limits,status-name,address,deadline-timer,bind-bodies,body-codecs,command-status-class,connection,cursor,decode-pdu,deliveries,ack-state,describe-pdu,encode-pdu,encode-text,frame-reader,inbound-text,keep-alive,graceful-close,message-body,open-list,open-socket,operation-bodies,pdu,request-outcome,requests,pdu-writer,take-pdu,validity-period,write-buffer}.ts', 'src/connectors/smpp/*/{bind-outcome,binding,bindings,partial-retries,late-responses,live-settings,submissions-in-flight,pace,part-response,part-validity,reconnect-policy,session,session-events,session-settings,setting-readers,settings,submit-message,submit-parts,try-bind}.ts', 'src/connectors/smpp/{facts,link,link-health,link-plan,smpp}.ts',
    ],
  },
] // prettier-ignore
