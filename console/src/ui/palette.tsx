import { Modal, VisuallyHidden } from '@mantine/core'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.css'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { PaletteDialogs } from './palette-dialogs.tsx'
import { type Entry, groups } from './palette-entries.ts'
import styles from './palette.module.css'
import { type PaletteDialog, usePaletteEntries } from './use-palette-entries.ts'

const [store, spotlight] = createSpotlight()
/** Spotlight changes the selection without notifying React, which must announce it to screen readers. */
const listeners = new Set<() => void>()
const { updateState } = store
store.updateState = (change) => {
  updateState(change)
  for (const listener of listeners) listener()
}
const onSelectionChange = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Command palette: finds pages, actions and messages by name. */
export function Palette(properties: { opened: boolean; onClose: () => void; onShortcuts: () => void }) {
  const { opened, onClose, onShortcuts } = properties
  const [query, setQuery] = useState('')
  const [dialog, setDialog] = useState<PaletteDialog | null>(null)
  const entries = usePaletteEntries(query, { dialog: setDialog, shortcuts: onShortcuts })
  const restoreFocus = useFocusRestore(opened)
  useEffect(() => (opened ? spotlight.open() : spotlight.close()), [opened])
  const run = (entry: Entry): void => {
    // Restore the focus first: a dialog that the entry opens returns the focus to the element that has it now.
    onClose()
    restoreFocus()
    entry.run()
  }
  return (
    <>
      <Spotlight.Root
        store={store}
        shortcut={null}
        query={query}
        onQueryChange={setQuery}
        onSpotlightClose={() => {
          onClose()
          restoreFocus()
        }}
        returnFocus={false}
        scrollable
        maxHeight="min(60vh, 480px)"
        overlayProps={{ backgroundOpacity: 0.4 }}
        transitionProps={{ duration: 100 }}
      >
        <VisuallyHidden>
          <Modal.Title>Search</Modal.Title>
        </VisuallyHidden>
        <PaletteList entries={entries} onRun={run} />
      </Spotlight.Root>
      <PaletteDialogs
        shown={dialog}
        onClose={() => {
          setDialog(null)
          restoreFocus()
        }}
      />
    </>
  )
}

const listId = 'palette-list'
const optionId = (index: number): string => `palette-option-${index}`

function PaletteList({ entries, onRun }: { entries: readonly Entry[]; onRun: (entry: Entry) => void }) {
  const selected = useSyncExternalStore(onSelectionChange, () => store.getState().selected)
  const shown = groups.flatMap((group) => entries.filter((entry) => entry.group === group))
  // Enter runs the first entry as soon as the palette is open.
  useEffect(() => store.updateState((state) => ({ ...state, selected: 0 })), [])
  const entryAt = shown[selected]
  return (
    <>
      <Spotlight.Search
        autoFocus
        role="combobox"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={entryAt === undefined ? undefined : optionId(selected)}
        aria-label="Pages, actions, message ID, number or message text"
        placeholder="Page, action, message ID, number…"
      />
      <Spotlight.ActionsList id={listId} role="listbox" aria-label="Results">
        {groups.map((group) => {
          const inGroup = shown.filter((entry) => entry.group === group)
          return inGroup.length === 0 ? null : (
            <Spotlight.ActionsGroup key={group} label={group} role="group" aria-label={group}>
              {inGroup.map((entry) => (
                <Spotlight.Action
                  key={entry.id}
                  // The component has no property for an ID.
                  ref={(option) => option?.setAttribute('id', optionId(shown.indexOf(entry)))}
                  classNames={{ actionDescription: styles['description'] ?? '' }}
                  role="option"
                  aria-selected={entry === entryAt}
                  data-selected={entry === entryAt || undefined}
                  label={entry.label}
                  description={entry.description}
                  closeSpotlightOnTrigger={false}
                  onClick={() => onRun(entry)}
                />
              ))}
            </Spotlight.ActionsGroup>
          )
        })}
      </Spotlight.ActionsList>
      <VisuallyHidden role="status">
        {shown.length === 1 ? '1 result' : `${shown.length} results`}
      </VisuallyHidden>
    </>
  )
}

/** Records the focused element when the palette opens. Returns a function that restores the focus. */
function useFocusRestore(opened: boolean): () => void {
  const before = useRef<Element | null>(null)
  const [wasOpened, setWasOpened] = useState(false)
  useEffect(() => {
    if (opened && !wasOpened) before.current = document.activeElement
    setWasOpened(opened)
  }, [opened, wasOpened])
  return () => {
    if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true })
  }
}
