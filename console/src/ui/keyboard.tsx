import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useEffectEvent, useState } from 'react'
import { lazyPart } from '../connection/lazy-part.ts'
import { sessionQuery } from '../api/session.ts'
import { hasSingleKeys, type Layer, layerAsked } from './keys.ts'

const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette)
const Shortcuts = lazyPart(async () => (await import('./shortcuts.tsx')).Shortcuts)

/** Handles the keyboard shortcuts of every page. What they open is loaded on first use. */
export function Keyboard() {
  const { data } = useQuery({ ...sessionQuery, enabled: false })
  const isSignedIn = (data?.user ?? null) !== null
  const [layer, setLayer] = useState<Layer | null>(null)
  const [seen, setSeen] = useState<readonly Layer[]>([])
  const show = (next: Layer | null): void => {
    setLayer(next)
    if (next !== null && !seen.includes(next)) setSeen([...seen, next])
  }
  const open = useEffectEvent((next: Layer) => show(next === layer && next === 'palette' ? null : next))
  const press = useEffectEvent((event: KeyboardEvent) => {
    const next = isSignedIn ? layerOfKey(event) : null
    if (next === null || (layer === null && document.querySelector('[aria-modal="true"]') !== null)) return
    event.preventDefault()
    open(next)
  })
  useEffect(() => {
    const ask = (event: CustomEvent<Layer>): void => open(event.detail)
    const listen = (event: KeyboardEvent): void => press(event)
    document.addEventListener('keydown', listen)
    document.addEventListener(layerAsked, ask)
    return () => {
      document.removeEventListener('keydown', listen)
      document.removeEventListener(layerAsked, ask)
    }
  }, [])
  if (!isSignedIn) return null
  return (
    <Suspense>
      {seen.includes('palette') ? (
        <Palette
          opened={layer === 'palette'}
          onClose={() => show(null)}
          onShortcuts={() => show('shortcuts')}
        />
      ) : null}
      {seen.includes('shortcuts') ? (
        <Shortcuts opened={layer === 'shortcuts'} onClose={() => show(null)} />
      ) : null}
    </Suspense>
  )
}

/** Returns what a key opens: ⌘K or Ctrl+K everywhere, single keys only outside of text fields. */
function layerOfKey(event: KeyboardEvent): Layer | null {
  if (event.isComposing || event.altKey) return null
  if (event.metaKey || event.ctrlKey)
    return event.key.toLowerCase() === 'k' && !event.shiftKey ? 'palette' : null
  if (!hasSingleKeys() || isTyping(event.target)) return null
  return event.key === '?' ? 'shortcuts' : event.key === '/' ? 'palette' : null
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=radio], [type=checkbox]), textarea, select'))
