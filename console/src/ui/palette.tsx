import { Modal, VisuallyHidden } from '@mantine/core'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.css'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { PaletteDialogs } from './palette-dialogs.tsx'
import { type Entry, groups } from './palette-entries.ts'
import styles from './palette.module.css'
import { type PaletteDialog, usePaletteEntries } from './use-palette-entries.ts'

const [store, spotlight] = createSpotlight()
/** Spotlight changes what is chosen without telling React of it, which has to tell those who hear the list. */
const hearers = new Set<() => void>()
const { updateState } = store
store.updateState = (change) => {
  updateState(change)
  for (const hear of hearers) hear()
}
const hearOfChoice = (hear: () => void): (() => void) => {
  hearers.add(hear)
  return () => void hearers.delete(hear)
}

/** Everything by its name: pages, actions, messages. */
export function Palette(properties: { opened: boolean; onClose: () => void; onShortcuts: () => void }) {
  const { opened, onClose, onShortcuts } = properties
  const [query, setQuery] = useState('')
  const [dialog, setDialog] = useState<PaletteDialog | null>(null)
  const entries = usePaletteEntries(query, { dialog: setDialog, shortcuts: onShortcuts })
  const giveBack = useFocusGivenBack(opened)
  useEffect(() => (opened ? spotlight.open() : spotlight.close()), [opened])
  const run = (entry: Entry): void => {
    // First the focus: what the entry opens gives it back to where it finds it now.
    onClose()
    giveBack()
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
          giveBack()
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
          giveBack()
        }}
      />
    </>
  )
}

const listId = 'palette-list'
const optionId = (index: number): string => `palette-option-${index}`

function PaletteList({ entries, onRun }: { entries: readonly Entry[]; onRun: (entry: Entry) => void }) {
  const selected = useSyncExternalStore(hearOfChoice, () => store.getState().selected)
  const shown = groups.flatMap((group) => entries.filter((entry) => entry.group === group))
  // The first is taken by Enter alone, as soon as the palette stands.
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
        aria-label="Pages, actions, a message id, a number or words of a text"
        placeholder="A page, an action, a message id, a number…"
      />
      <Spotlight.ActionsList id={listId} role="listbox" aria-label="What fits">
        {groups.map((group) => {
          const inGroup = shown.filter((entry) => entry.group === group)
          return inGroup.length === 0 ? null : (
            <Spotlight.ActionsGroup key={group} label={group} role="group" aria-label={group}>
              {inGroup.map((entry) => (
                <Spotlight.Action
                  key={entry.id}
                  // It has no property for an id.
                  ref={(option) => option?.setAttribute('id', optionId(shown.indexOf(entry)))}
                  classNames={{ actionDescription: styles['says'] ?? '' }}
                  role="option"
                  aria-selected={entry === entryAt}
                  data-selected={entry === entryAt || undefined}
                  label={entry.label}
                  description={entry.says}
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

/** Remembers what had the focus when something opened; gives back a function that puts it there again. */
function useFocusGivenBack(opened: boolean): () => void {
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
