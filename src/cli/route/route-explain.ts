import { requireAccount } from '../../accounts/core/list-accounts.ts'
import { readReportedDevices } from '../../dispatch/routes/reported-candidates.ts'
import { explainQuestion } from '../../dispatch/routes/explain-question.ts'
import type { ExplainedStage } from '../../dispatch/routes/explain-route.ts'
import { RouteBook } from '../../dispatch/routes/route-book.ts'
import { parsePhoneNumber } from '../../numbers/phone-number.ts'
import { createLog } from '../../process/log.ts'
import { categories } from '../../storage/tables/column-values.ts'
import { command } from '../core/command.ts'
import { UsageError } from '../core/command-errors.ts'
import { modeOption } from '../core/common-options.ts'
import { readTime } from '../core/read-time.ts'

export const explain = command({
  summary: 'Explains which way a message would go now, and why not another one.',
  details: 'Devices are as their nodes last reported them.',
  arguments: [],
  options: {
    account: { type: 'text', value: 'ACCOUNT', summary: 'Account that sends.', required: true },
    to: { type: 'text', value: 'NUMBER', summary: 'Recipient, in E.164.', required: true },
    from: { type: 'text', value: 'SENDER', summary: 'Requested sender. Default: none.' },
    category: { type: 'text', value: 'CATEGORY', summary: 'Category. Default: transactional.', choices: categories },
    encoding: { type: 'text', value: 'ENCODING', summary: 'Encoding of the text. Default: gsm7.', choices: ['gsm7', 'ucs2'] },
    parts: { type: 'number', value: 'N', summary: 'Parts of the message. Default: 1.' },
    at: { type: 'text', value: 'TIME', summary: 'Hours of stages as at this time. Default: now.' },
    fallback: { type: 'flag', summary: 'With the fallback to shared devices.' },
    mode: modeOption('Default: live.'),
  },
  async run({ clock, ids, withStorage }, { options }) {
    const { account: accountId, to, from = null, category = 'transactional', encoding = 'gsm7', parts = 1, mode = 'live' } = options // prettier-ignore
    const number = parsePhoneNumber(to)
    if ('fault' in number) throw new UsageError(`--to: ${number.detail}`)
    const atMs = options.at === undefined ? clock.now() : readTime('--at', options.at)
    return withStorage(async ({ read }) => {
      await requireAccount(read, accountId)
      const book = new RouteBook({ read, clock: { ...clock, now: () => atMs, monotonicMs: clock.monotonicMs }, log: createLog('silent', { write: () => undefined }) }) // prettier-ignore
      await book.reload()
      const question = { accountId, mode, to: number.e164, country: number.country, from, category, encoding, parts, fallback: options.fallback, messageId: ids('msg') } // prettier-ignore
      const explained = await explainQuestion({ read, routes: book }, question, () =>
        readReportedDevices(read, { accountId, mode }, clock.now()),
      )
      const { isRefused, way, stages } = explained
      const rule = explained.rule === null ? null : { id: explained.rule.id, name: explained.rule.name }
      return {
        json: { rule, refused: isRefused, way, stages: stages.map(stageDocument) },
        text: [
          rule === null ? 'No rule matches: the usual way.' : `Rule ${rule.id}  ${rule.name}`,
          ...(isRefused ? ['It refuses the message.'] : stages.flatMap(stageLines)),
        ].join('\n'),
      }
    })
  },
}) // prettier-ignore

const stageDocument = ({ opens, isOpen, devices }: ExplainedStage) => ({
  opens,
  open: isOpen,
  devices: devices.map(({ id, isShared, verdict, says }) => ({ id, shared: isShared, verdict, says })),
})

const stageLines = ({ opens, devices }: ExplainedStage, i: number): string[] => [
  `Stage ${i + 1}${opens === null ? '' : `: opens ${opens}`}`,
  ...(devices.length === 0 ? ['  no device'] : devices.map(({ id, verdict, says }) => `  ${id}  ${verdict}  ${says}`)), // prettier-ignore
]
