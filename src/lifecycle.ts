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
  let failure: unknown
  for (const service of services.toReversed()) {
    await service.stop().catch((error: unknown) => (failure ??= error))
  }
  if (failure !== undefined) throw failure
}

/** What runs once, at the start. */
export const once = (run: () => Promise<void>): Service => ({ start: run, stop: async () => undefined })
