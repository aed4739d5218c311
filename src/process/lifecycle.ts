/** Anything that runs in the background. `stop` waits for running work; a second call is harmless. */
export interface Service {
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts services in order. If one fails, stops those already started in reverse order and throws. */
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

/** Stops all services in reverse order, even if one fails, then throws the first failure. */
export async function stopAll(services: readonly Service[]): Promise<void> {
  await endAll(services.toReversed().map((service) => () => service.stop()))
}

/** Runs all steps in order, even if one fails, then throws the first failure. */
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

/** Returns a service that only runs once, at the start. */
export const once = (run: () => Promise<void>): Service => ({ start: run, stop: async () => undefined })

/** Returns a service that only runs once, at the stop. */
export const onStop = (run: () => Promise<void>): Service => ({ start: async () => undefined, stop: run })
