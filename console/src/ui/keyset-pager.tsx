import { Button, Group } from '@mantine/core'
import { useState } from 'react'

export type KeysetPages = ReturnType<typeof useKeysetPages>

/** The way through a list, the newest first, that is read page by page: each page starts behind the last line of the one before it. */
export function useKeysetPages() {
  const [starts, setStarts] = useState<readonly string[]>([])
  const beforeId = starts.at(-1)
  return {
    /** What the call is asked with, so that it answers the page that is looked at. */
    input: beforeId === undefined ? {} : { beforeId },
    isFirst: beforeId === undefined,
    // The page before is shown until the next one is there: a second click on it leads no further.
    toOlder: (nextBeforeId: string): void =>
      setStarts(nextBeforeId === beforeId ? starts : [...starts, nextBeforeId]),
    toNewer: (): void => setStarts(starts.slice(0, -1)),
    /** For another filter, which has other pages. */
    toFirst: (): void => setStarts([]),
  }
}

/** Goes from page to page, where there is more than one; `nextBeforeId` is what the shown page says about the one after it, null behind the last. */
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
