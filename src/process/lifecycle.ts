/** Anything that runs in the background. Stopping twice is harmless; stopping waits for what is under way. */
export interface Service {
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts in order; when one fails, stops those already started in reverse and throws. */
export async function startAll(services: readonly Service[]): Promise<void> {
  const started: Service[] = []
  try {
    for (const service of services) {
      await service.start()
      started.push(service)
    }
  } catch (error) {
    await stopAll(started).catch(() => undefined)
    throw error
  }
}

/** Stops in reverse order; every one is stopped even if an earlier one fails, then the first failure is thrown. */
export async function stopAll(services: readonly Service[]): Promise<void> {
  await endAll(services.toReversed().map((service) => () => service.stop()))
}

/** Takes all of these steps in order, whatever becomes of one; then the first failure is thrown. */
export async function endAll(steps: readonly (() => Promise<void> | void)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps)
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 0) throw failures[0]
}

/** What runs once, at the start. */
export const once = (run: () => Promise<void>): Service => ({ start: run, stop: async () => undefined })
