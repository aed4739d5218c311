import { useMediaQuery } from '@mantine/hooks'
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react'
import type { ListedMessage } from '../../../src/api/console/messages/listed-message.ts'
import { DataTable } from '../ui/data-table.tsx'
import styles from './message-list.module.css'
import { MessageCard, MessageTableRow, type Names } from './message-rows.tsx'
import { type RowWindow, useWindow } from './use-window.ts'

interface ListProperties {
  rows: readonly ListedMessage[]
  names: Names
  hasMore: boolean
  /** Called when the end of the loaded rows comes near the screen. */
  onNearEnd: () => void
}

/** Rows left below the screen when the next page is loaded. */
const nearEnd = 40
const rowHeight = 56
const cardHeight = 96

/** Renders messages, newest first, as a table or, on narrow screens, as cards. Arrow keys move between rows. */
export function MessageList({ rows, names, hasMore, onNearEnd }: ListProperties) {
  const isNarrow = useMediaQuery('(max-width: 48em)', window.innerWidth <= 768)
  const list = useRef<HTMLDivElement>(null)
  const seen = useWindow(list, rows.length, isNarrow ? cardHeight : rowHeight)
  const keptFocus = useKeptFocus(list, isNarrow)
  const isNearEnd = hasMore && seen.end > rows.length - nearEnd
  useEffect(() => {
    if (isNearEnd) onNearEnd()
  }, [isNearEnd, onNearEnd])
  return (
    <div ref={list} onKeyDown={(event) => moveFocus(event, rows)} {...keptFocus} role="presentation">
      {isNarrow ? (
        <Cards rows={rows} seen={seen} />
      ) : (
        <RowTable rows={rows} names={names} seen={seen} hasMore={hasMore} />
      )}
    </div>
  )
}

function RowTable({ rows, names, seen, hasMore }: Omit<ListProperties, 'onNearEnd'> & { seen: RowWindow }) {
  return (
    <DataTable
      className={styles['table'] ?? ''}
      aria-label="Messages, newest first"
      aria-rowcount={hasMore ? -1 : rows.length + 1}
    >
      <thead>
        <tr>
          <th style={{ width: 124 }}>Status</th>
          <th style={{ width: 184 }}>Number</th>
          <th>Text</th>
          <th style={{ width: 160 }}>Device</th>
          <th style={{ width: 72 }} data-end>
            Parts
          </th>
          <th style={{ width: 128 }} data-end>
            Accepted
          </th>
        </tr>
      </thead>
      <tbody>
        <Space height={seen.spaceBefore} />
        {rows.slice(seen.first, seen.end).map((row, i) => (
          <MessageTableRow key={row.id} of={row} index={seen.first + i} names={names} />
        ))}
        <Space height={seen.spaceAfter} />
      </tbody>
    </DataTable>
  )
}

const Space = ({ height }: { height: number }) =>
  height === 0 ? null : (
    <tr aria-hidden="true" className={styles['space']} style={{ height }}>
      <td colSpan={6} />
    </tr>
  )

function Cards({ rows, seen }: { rows: readonly ListedMessage[]; seen: RowWindow }) {
  return (
    <ul
      className={styles['cards']}
      aria-label="Messages, newest first"
      style={{ paddingTop: seen.spaceBefore, paddingBottom: seen.spaceAfter }}
    >
      {rows.slice(seen.first, seen.end).map((row) => (
        <MessageCard key={row.id} of={row} />
      ))}
    </ul>
  )
}

/** Keeps the focus on a row when the layout changes between table and cards: a phone is turned, a window resized. */
function useKeptFocus(list: RefObject<HTMLElement | null>, isNarrow: boolean) {
  // React fires no blur event when it removes the focused row.
  const focused = useRef<string | null>(null)
  useLayoutEffect(() => {
    if (focused.current === null || document.activeElement !== document.body) return
    linkOf(list.current, focused.current)?.focus({ preventScroll: true })
  }, [list, isNarrow])
  return {
    onFocus: ({ target }: FocusEvent<HTMLElement>): void => {
      focused.current = target.dataset['message'] ?? null
    },
    onBlur: (): void => {
      focused.current = null
    },
  }
}

const linkOf = (list: HTMLElement | null, id: string): HTMLElement | null =>
  list?.querySelector<HTMLElement>(`[data-message="${id}"]`) ?? null

/** Moves the focus to the row above or below by arrow keys; rows just outside of the screen are rendered, too. */
function moveFocus(event: KeyboardEvent<HTMLElement>, rows: readonly ListedMessage[]): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const id = event.target instanceof HTMLElement ? event.target.dataset['message'] : undefined
  if (step === 0 || id === undefined) return
  const next = rows[rows.findIndex((row) => row.id === id) + step]
  if (next === undefined) return
  event.preventDefault()
  linkOf(event.currentTarget, next.id)?.focus()
}
