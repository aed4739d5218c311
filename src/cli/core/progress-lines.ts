import type { CommandIo } from './command-context.ts'

export interface ProgressLine {
  name: string
  /** Null: no step, but a hint about the one above. */
  isDone: boolean | null
  summary: string
}

/** Prints steps with check marks. On a terminal they are redrawn; elsewhere a step is printed again after a change. */
export class ProgressLines {
  readonly #out: CommandIo['stdout']
  #drawn: readonly string[] = []

  constructor(out: CommandIo['stdout']) {
    this.#out = out
  }

  show(steps: readonly ProgressLine[]): void {
    const lines = steps.map(({ name, isDone, summary }) =>
      isDone === null ? `    ${summary}` : `${isDone ? '[x]' : '[ ]'} ${name.padEnd(14)}${summary}`.trimEnd(),
    )
    if (lines.every((line, i) => line === this.#drawn[i])) return
    if (this.#out.isTTY === true) this.#draw(lines)
    else for (const line of lines.filter((each, i) => each !== this.#drawn[i])) this.#out.write(`${line}\n`)
    this.#drawn = lines
  }

  /** Moves up over the former lines, which the terminal may have wrapped, and prints the new ones. */
  #draw(lines: readonly string[]): void {
    // A terminal without a size reports 0.
    const columns = this.#out.columns || 80
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0)
    const back = rows === 0 ? '' : `\u001b[${rows}A\u001b[J`
    this.#out.write(`${back}${lines.join('\n')}\n`)
  }
}
