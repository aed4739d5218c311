/**
 * Returns all results. If one promise fails, it waits for the others and then throws the first error: in a
 * transaction no statement of a unit may run after its rollback, because it would then be stored with
 * adjacent units. What creates the promises must not throw: a rejection of those that exist already would be unhandled.
 */
export async function allDone<const T extends readonly unknown[]>(
  all: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  try {
    return await Promise.all(all)
  } catch (error) {
    await Promise.allSettled(all)
    throw error
  }
}
