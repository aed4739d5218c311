import { renderUnicodeCompact } from 'uqr'
import { phoneAddress } from '../../devices/phones/phone-address.ts'
import { beginReachCheck, type ReachedFrom, readReachCheck } from '../../devices/phones/reach-checks.ts'
import { guidePath } from '../../process/guides.ts'
import { ownAddress } from '../../process/own-address.ts'
import type { Reach } from '../../reach/reach.ts'
import type { Db } from '../../storage/seam/dialect.ts'
import { command } from '../core/command.ts'
import type { CommandContext } from '../core/command-context.ts'
import { openWaiting } from '../core/open-waiting.ts'
import { describeReached, onlyAPhone, reachDocument, reachPhoneAddress } from '../core/phone-address-check.ts'
import { ProgressLines } from '../core/progress-lines.ts'

/** Short enough to look live; each poll is one short read. */
const pollEveryMs = 500

export const reachCommand = command({
  summary: 'Checks whether phones reach this server: by this machine, then by a phone.',
  details:
    'Connects to the API URL of phones step by step, as the doctor does. Then it shows a link, which a phone opens in its browser: only a phone can show that a phone reaches the server. Waits for it until Ctrl-C; with --json it does not wait. Exit code 1 when neither this machine nor a phone reached the server.',
  arguments: [],
  options: {},
  async run(tools, { json }) {
    const url = phoneAddress(tools.config)
    const reach = await reachPhoneAddress(tools)
    return tools.withStorage(async ({ read, writer }) => {
      const { nonce, link } = await writer.write((tx) =>
        beginReachCheck(tx, { nowMs: tools.clock.now(), randomBytes: tools.randomBytes }, url),
      )
      const document = { url, reach: reachDocument(reach), link }
      if (json) return { json: document, text: '', exitCode: reach.isReached ? 0 : 1 }
      tools.io.stdout.write(instructions(tools, reach, link))
      const reached = await waitForPhone(tools, read, nonce)
      return {
        json: document,
        text:
          reached === null
            ? 'Stopped waiting. The link is valid for a day: doctor says whether a phone has opened it.'
            : 'Phones reach this server.',
        exitCode: reach.isReached || reached !== null ? 0 : 1,
      }
    })
  },
})

function instructions({ config }: Pick<CommandContext, 'config'>, reach: Reach, link: string): string {
  const lines = reach.steps.flatMap(({ part, isOk, summary, remedy }) => [
    `${isOk ? 'ok  ' : 'FAIL'}  ${part}: ${summary}`,
    ...(remedy === null ? [] : [`      ${remedy}`]),
  ])
  const verdict = reach.isReached
    ? [onlyAPhone]
    : [
        'This machine does not reach it. A router may not lead back to its own public address: then phones on mobile data do.',
        `A running server has a guide: ${ownAddress(config)}${guidePath('phones', 'https')}`,
      ]
  return `${[
    ...lines,
    ...verdict,
    '',
    'Scan this code with the camera of the phone, and open the link in its browser:',
    renderUnicodeCompact(link, { border: 2 }),
    link,
    'A certificate of the CA of the app is trusted by the app, not by browsers: continue in spite of the warning.',
    '',
  ].join('\n')}\n`
}

/** Resolves with the phone that opened the link, or with null after Ctrl-C. */
async function waitForPhone(tools: CommandContext, read: Db, nonce: string): Promise<ReachedFrom | null> {
  const lines = new ProgressLines(tools.io.stdout)
  const waiting = openWaiting(tools)
  try {
    for (;;) {
      const reached = await readReachCheck(read, nonce)
      lines.show([
        {
          name: 'phone',
          isDone: reached !== null,
          summary: reached === null ? 'waiting for a phone to open the link' : describeReached(reached),
        },
      ])
      if (reached !== null || !(await waiting.pause(pollEveryMs))) return reached
    }
  } finally {
    waiting.end()
  }
}
