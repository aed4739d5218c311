import { parsePhoneNumber, withoutSeparators } from '../../numbers/phone-number.ts'

/** A line of a list without a valid number. */
export interface LineFault {
  /** From 1. */
  line: number
  detail: string
  suggestion: string | null
}

export interface NumberList {
  /** In E.164, each once, in the order of the lines. */
  numbers: string[]
  faults: LineFault[]
}

/**
 * Reads a list of numbers: one per line, or a table with commas, semicolons or tabs between its columns, of
 * which the first one with a number counts. Ignores spaces, dashes and brackets inside a number, and reads
 * `00` as `+`. A first line without digits is a header. All other lines are faults: a number that is not
 * international is not guessed.
 */
export function readNumberList(text: string): NumberList {
  const numbers = new Set<string>()
  const faults: LineFault[] = []
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|[\r\n]/)
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '' || (i === 0 && !/\d/.test(line))) continue
    const found = readLine(line)
    if ('number' in found) numbers.add(found.number)
    else faults.push({ line: i + 1, ...found })
  }
  return { numbers: [...numbers], faults }
}

function readLine(line: string): { number: string } | Omit<LineFault, 'line'> {
  let fault: Omit<LineFault, 'line'> = { detail: 'There is no number in this line.', suggestion: null }
  for (const cell of line.split(/[,;\t]/)) {
    const spelled = spellingOf(cell)
    if (!/\d/.test(spelled)) continue
    const number = parsePhoneNumber(spelled)
    if ('e164' in number) return { number: number.e164 }
    fault = { detail: number.detail, suggestion: number.suggestion }
  }
  return fault
}

const spellingOf = (cell: string): string =>
  withoutSeparators(cell.replaceAll(/["']/g, '')).replace(/^00(?=[1-9])/, '+')
