import { type CSSVariablesResolver, createTheme, defaultVariantColorsResolver } from '@mantine/core'

/** The look. Texts on tinted grounds are darker (lighter in the dark) than Mantine's, for a contrast of 4.5 (WCAG 2.2, 1.4.3). */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' } } },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // A link in a text is told by more than its colour (1.4.1).
    Anchor: { defaultProps: { underline: 'always' } },
    // A cross alone has no name for those who hear the page (4.1.2).
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close this note' } } },
  },
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input)
    const name = input.color ?? input.theme.primaryColor
    // White on the red of the light scheme has a contrast of 3.9.
    if (input.variant === 'filled' && name === 'red')
      return {
        ...colors,
        background: 'var(--mantine-color-red-9)',
        hover: 'color-mix(in srgb, var(--mantine-color-red-9), black 10%)',
        color: 'var(--mantine-color-white)',
      }
    return input.variant === 'light' && input.theme.colors[name] !== undefined
      ? {
          ...colors,
          color: `light-dark(color-mix(in srgb, var(--mantine-color-${name}-9), black 50%), var(--mantine-color-${name}-1))`,
        }
      : colors
  },
})

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
})
