import { renderUnicodeCompact } from 'uqr'
import { type GuideOutcome, type GuideStep, stepToDo } from '../../../devices/phones/connect-guide.ts'
import { appAddress, guideStepNames } from '../../../devices/phones/guide-words.ts'
import type { Terminal } from '../../core/terminal.ts'

const headOf = ({ number, title }: GuideStep): string => `${number}/${guideStepNames.length} ${title}`

/** Prints the steps of a guided connect as they are reached and done, each once. */
export class GuideScreen {
  readonly #terminal: Terminal
  readonly #begun = new Set<string>()
  readonly #ticked = new Set<string>()

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  show(steps: readonly GuideStep[]): void {
    // A step that is done before its turn is printed at its turn.
    const last = stepToDo(steps)?.number ?? steps.length
    for (const step of steps.slice(0, last)) {
      const { name, state, summary } = step
      if (state === 'done' || state === 'passed') {
        if (this.#ticked.has(name)) continue
        this.#ticked.add(name)
        const tick = state === 'done' ? '[x]' : '[-]'
        this.#terminal.print(`${tick} ${headOf(step)}${summary === '' ? '' : `: ${summary}`}`)
      } else if (state !== 'later' && !this.#begun.has(name)) this.#begin(step)
    }
  }

  /** Prints why a try failed. */
  failed({ summary, remedy }: Pick<GuideOutcome, 'summary' | 'remedy'>): void {
    this.#terminal.print(`[!] ${summary}`)
    if (remedy !== null) this.#terminal.print(`    ${remedy}`)
  }

  /** Prints a text to copy, with its code for a camera. */
  code(label: string, text: string): void {
    this.#terminal.print(`${label}\n    ${text}\n${renderUnicodeCompact(text, { border: 2 })}`)
  }

  #begin(step: GuideStep): void {
    this.#begun.add(step.name)
    this.#terminal.print(`\n${[headOf(step), ...step.todo.map((each) => `  - ${each}`)].join('\n')}`)
    if (step.name === 'app') this.code('The app:', appAddress)
  }
}
