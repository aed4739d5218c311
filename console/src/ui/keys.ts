/** A dialog that a key opens over the page. */
export type Layer = 'palette' | 'shortcuts'

/** Event that requests a layer. */
export const layerAsked = 'onesixty:layer'

declare global {
  interface DocumentEventMap {
    [layerAsked]: CustomEvent<Layer>
  }
}

/** Opens a layer, like its key. */
export const askFor = (layer: Layer): void => {
  document.dispatchEvent(new CustomEvent(layerAsked, { detail: layer }))
}

const isMac = /Mac|iP(?:hone|ad|od)/.test(navigator.userAgent)

/** The key that opens the palette, as this operating system names it. */
export const paletteKey = isMac ? '⌘K' : 'Ctrl+K'

const singleKeys = 'onesixty-single-keys'

/** Whether single-key shortcuts are on. Users of speech input can turn them off (WCAG 2.2, 2.1.4). */
export const hasSingleKeys = (): boolean => localStorage.getItem(singleKeys) !== 'off'

export const setSingleKeys = (isOn: boolean): void => localStorage.setItem(singleKeys, isOn ? 'on' : 'off')
