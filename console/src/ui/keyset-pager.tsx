import { Button, Group } from '@mantine/core'
import { useState } from 'react'

export type KeysetPages = ReturnType<typeof useKeysetPages>

/** State of keyset pagination through a list, newest first: each page starts after the last row of the previous one. */
export function useKeysetPages() {
  const [starts, setStarts] = useState<readonly string[]>([])
  const beforeId = starts.at(-1)
  return {
    /** Input of the call that returns the current page. */
    input: beforeId === undefined ? {} : { beforeId },
    isFirst: beforeId === undefined,
    // The previous page is shown until the next one has arrived: a second click must not skip a page.
    toOlder: (nextBeforeId: string): void =>
      setStarts(nextBeforeId === beforeId ? starts : [...starts, nextBeforeId]),
    toNewer: (): void => setStarts(starts.slice(0, -1)),
    /** To be called when the filter changes: its pages differ. */
    toFirst: (): void => setStarts([]),
  }
}

/** Shows the buttons of a list with more than one page. `nextBeforeId` starts the next page; null on the last one. */
export function KeysetPager({ pages, nextBeforeId }: { pages: KeysetPages; nextBeforeId: string | null }) {
  if (pages.isFirst && nextBeforeId === null) return null
  return (
    <Group justify="flex-end">
      <Button size="xs" variant="default" disabled={pages.isFirst} onClick={pages.toNewer}>
        Newer
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={nextBeforeId === null}
        onClick={nextBeforeId === null ? undefined : () => pages.toOlder(nextBeforeId)}
      >
        Older
      </Button>
    </Group>
  )
}
