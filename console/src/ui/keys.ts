/** What a key can open over a page. */
export type Layer = 'palette' | 'shortcuts'

/** The event by which a part of a page asks for a layer. */
export const layerAsked = 'onesixty:layer'

declare global {
  interface DocumentEventMap {
    [layerAsked]: CustomEvent<Layer>
  }
}

/** Opens a layer, as its key does. */
export const askFor = (layer: Layer): void => {
  document.dispatchEvent(new CustomEvent(layerAsked, { detail: layer }))
}

const isMac = /Mac|iP(?:hone|ad|od)/.test(navigator.userAgent)

/** The key that opens the palette, as it is called on this machine. */
export const paletteKey = isMac ? '⌘K' : 'Ctrl+K'

const singleKeys = 'onesixty-single-keys'

/** Whether keys alone do something; whoever dictates, or types by accident, can end that (WCAG 2.2, 2.1.4). */
export const hasSingleKeys = (): boolean => localStorage.getItem(singleKeys) !== 'off'

export const setSingleKeys = (isOn: boolean): void => localStorage.setItem(singleKeys, isOn ? 'on' : 'off')
