import { expect, test } from 'vitest'
import { ProgressLines } from '../../src/cli/core/progress-lines.ts'

const shown = (columns: number | undefined): string => {
  const out = { said: '' }
  const write = (text: string): void => void (out.said += text)
  const lines = new ProgressLines({ write, isTTY: true, ...(columns === undefined ? {} : { columns }) })
  const line = (summary: string) => [{ name: 'phone', isDone: false, summary }]
  lines.show(line('x'.repeat(100)))
  lines.show(line('open'))
  return out.said
}

/** A pseudo terminal whose size was never set has 0 columns: tty_ioctl(4), TIOCGWINSZ. */
test.for([
  [40, 3],
  [80, 2],
  [0, 2],
  [undefined, 2],
])(
  'on a terminal of %d columns, a line that was wrapped is drawn over from its %d rows',
  ([columns, rows]) => {
    expect(shown(columns)).toContain(`\u001b[${rows}A\u001b[J`)
  },
)
