/**
 * What all of these come to. When one fails it waits for the others too, and then throws what was thrown first: in a transaction nothing of a unit
 * may go on behind its rollback, where it would be stored with the units beside it.
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
