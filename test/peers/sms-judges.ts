import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fetchedFolder, hasCommands, hasFetched, pythonEnv } from './foreign-tools.ts'

/** One PDU as github.com/warthog618/sms 0.3.0 reads it. */
export interface JudgedPart {
  error?: string
  kind: 'submit' | 'deliver' | 'status-report'
  smsc: string
  firstOctet: number
  reference: number
  /** With a plus sign where the type is international. */
  number: string
  numberType: number
  pid: number
  dcs: number
  /** Of a relative validity; 0 without. */
  validitySeconds: number
  /** Times in RFC 3339; empty without. */
  validityAbsolute: string
  sentAt: string
  doneAt: string
  status: number
  elements: { id: number; data: string }[]
  /** User data without the header, septets one an octet, hex. */
  units: string
  total: number
  part: number
  partReference: number
}

export interface Judged {
  parts: JudgedPart[]
  /** Of all parts together, joined before it is decoded; null where they are not one whole text, or data. */
  text: string | null
  error?: string
}

/** `mo` is towards the SMSC: SMS-SUBMIT. `mt` is towards the modem: SMS-DELIVER, SMS-STATUS-REPORT. */
export type Direction = 'mo' | 'mt'

/** What a network sends: a text from a number, a short code or a name, or a report about a part to a recipient. Times are in RFC 3339. */
export type WriteRequest =
  | { from: string; text: string; at: string }
  | { to: string; reference: number; status: number; at: string }

export interface GoJudge {
  /** PDUs with the SMSC in front, in any order. */
  judge(pdus: readonly string[], direction: Direction): Promise<Judged>
  /** Its PDUs, the SMSC in front; throws what it says where it cannot write them. */
  write(request: WriteRequest): Promise<string[]>
  stop(): Promise<void>
}

export interface PythonJudgement {
  error?: string
  number?: string
  text?: string | null
  reference?: number | null
  status?: number | null
}

export interface PythonJudges {
  judge(
    judge: 'smspdudecoder' | 'python-messaging' | 'gsmmodem',
    pdu: string,
    direction: Direction,
  ): Promise<PythonJudgement>
  stop(): Promise<void>
}

export const hasGoJudge = (): boolean => hasFetched('sms-judge')
export const hasPythonJudges = (): boolean => hasCommands('python3') && hasFetched('python')

/** Starts the judge in Go: started once, it is asked as often as there is something to judge. */
export function startGoJudge(): GoJudge {
  const lines = answerLines(spawn(join(fetchedFolder, 'sms-judge/sms-judge'), { stdio: ['pipe', 'pipe', 'inherit'] })) // prettier-ignore
  return {
    judge: (pdus, direction) => lines.ask({ pdus, direction }),
    async write(request) {
      const { pdus, error } = await lines.ask<{ pdus?: string[]; error?: string }>({ write: request })
      if (pdus === undefined) throw new Error(`The judge writes no ${JSON.stringify(request)}: ${error}`)
      return pdus
    },
    stop: lines.stop,
  }
}

/** Starts the codecs of Python: smspdudecoder 2.2.0, python-messaging 0.5.13 and that of python-gsmmodem-new 0.13.0. Their errors are in the answer. */
export function startPythonJudges(): PythonJudges {
  const program = join(import.meta.dirname, 'sms-judges/python_judges.py')
  const lines = answerLines(spawn('python3', [program], { env: pythonEnv('python'), stdio: ['pipe', 'pipe', 'inherit'] })) // prettier-ignore
  return { judge: (judge, pdu, direction) => lines.ask({ judge, pdu, direction }), stop: lines.stop }
}

/** A process that answers each line of JSON with one, in turn. */
function answerLines(child: ChildProcess) {
  const waiting: { resolve: (answer: never) => void; reject: (error: Error) => void }[] = []
  const ended = once(child, 'exit').then(() => {
    for (const { reject } of waiting.splice(0)) reject(new Error('The judge ended before it answered.'))
  })
  createInterface(child.stdout!).on('line', (line) => waiting.shift()?.resolve(JSON.parse(line) as never))
  return {
    ask: <T>(request: object): Promise<T> =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        child.stdin!.write(`${JSON.stringify(request)}\n`)
      }),
    async stop() {
      child.stdin!.end()
      await ended
    },
  }
}
