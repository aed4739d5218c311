import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * A codec of SMS PDUs that nobody here wrote, as a second opinion: github.com/warthog618/sms v0.3.0, in Go. Debian
 * has Go as `golang-go`; where it is missing, the tests that ask it are left out.
 */
export const hasJudge = spawnSync('go', ['version']).status === 0

const source = join(import.meta.dirname, 'pdu-judge')
const program = join(import.meta.dirname, '../../node_modules/.cache/onesixty/pdu-judge')

export interface Judgement {
  error?: string
  pdus?: string[]
  /** The service centre before the PDU, empty without one. */
  centre: string
  type: string
  from: string
  fromType: number
  to: string
  toType: number
  report: boolean
  text: string
  pid: number
  dcs: number
  mr: number
  at: string
  status: number
  seconds: number
  until: string
  /** Total and number of each part of a long message. */
  places: number[] | null
  reference: number
}

export type JudgeRequest =
  /** What do these PDUs say, joined? By a modem (`mo`) or by a network (`mt`). */
  | { do: 'read'; direction: 'mo' | 'mt'; pdus: readonly string[] }
  /** The PDUs of a text from `from`, as a network sends them. */
  | { do: 'write'; from: string; text: string; at: string }
  /** A delivery report about a part to `to`. */
  | { do: 'write'; to: string; mr: number; status: number; at: string }

/** Builds the program; once for a test file. */
export function buildJudge(): void {
  execFileSync('go', ['build', '-o', program, '.'], { cwd: source, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** One judgement for each request, in their order. */
export function judge(requests: readonly JudgeRequest[]): Judgement[] {
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join('')
  const output = execFileSync(program, [], { input, maxBuffer: 1 << 28, encoding: 'utf8' })
  return output.trimEnd().split('\n').map((line) => JSON.parse(line) as Judgement) // prettier-ignore
}
