import type { CommandContext } from './command-context.ts'

/** Pauses that Ctrl-C ends, the present one and all later ones. */
export function openWaiting({ io, clock }: Pick<CommandContext, 'io' | 'clock'>) {
  let isStopped = false
  let resume = (): void => undefined
  const stop = (): void => {
    isStopped = true
    resume()
  }
  io.on?.('SIGINT', stop)
  io.on?.('SIGTERM', stop)
  // The clock's timers do not keep the process alive.
  const alive = setInterval(() => undefined, 3_600_000)
  return {
    /** Returns false once stopped. */
    async pause(delayMs: number): Promise<boolean> {
      if (!isStopped)
        await new Promise<void>((resolve) => {
          const cancel = clock.schedule(delayMs, resolve)
          resume = () => (cancel(), resolve())
        })
      return !isStopped
    },
    end() {
      clearInterval(alive)
      io.off?.('SIGINT', stop)
      io.off?.('SIGTERM', stop)
    },
  }
}
