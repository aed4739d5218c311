import { renderUnicodeCompact } from 'uqr'
import { type GuideOutcome, type GuideStep, stepToDo } from '../../../devices/phones/connect-guide.ts'
import { appAddress, type GuideStepName, guideStepNames } from '../../../devices/phones/guide-words.ts'
import { guidePath } from '../../../process/guides.ts'
import type { Terminal } from '../../core/terminal.ts'

const headOf = ({ number, title }: GuideStep): string => `${number}/${guideStepNames.length} ${title}`

/** Prints the steps of a guided connect as they are reached and done, each once. */
export class GuideScreen {
  readonly #terminal: Terminal
  readonly #server: string
  readonly #begun = new Set<string>()
  readonly #ticked = new Set<string>()

  /** `server` is the address where the guides are. */
  constructor(terminal: Terminal, server: string) {
    this.#terminal = terminal
    this.#server = server
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

  /** Prints the steps from this one on again as they are reached. */
  returnTo(name: GuideStepName): void {
    for (const later of guideStepNames.slice(guideStepNames.indexOf(name))) {
      this.#begun.delete(later)
      this.#ticked.delete(later)
    }
  }

  /** Prints why a try failed, what to do, and where the guide says more. */
  failed({
    summary,
    remedy,
    heading = null,
  }: Pick<GuideOutcome, 'summary' | 'remedy'> & { heading?: string | null }): void {
    this.#terminal.print(`[!] ${summary}`)
    if (remedy !== null) this.#terminal.print(`    ${remedy}`)
    if (heading !== null) this.#terminal.print(`    Guide: ${this.#server}${guidePath('phones', heading)}`)
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
