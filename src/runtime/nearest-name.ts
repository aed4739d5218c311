/**
 * Returns the known name that a typo most likely meant, or null if none is near: up to a third of its letters
 * may be wrong.
 */
export function nearestName(name: string, known: Iterable<string>): string | null {
  let best: string | null = null
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(name, candidate)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

const longestName = 64

/**
 * Returns the number of letters inserted, deleted, replaced, or swapped with an adjacent one (optimal string
 * alignment).
 */
export function editDistance(a: string, b: string): number {
  if (a.length > longestName || b.length > longestName) return Infinity
  let last: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(last, j - 2) + 1 : Infinity
      next.push(Math.min(replaced, swapped, at(row, j) + 1, at(next, j - 1) + 1))
    }
    last = row
    row = next
  }
  return at(row, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity
