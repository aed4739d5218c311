import { type CSSVariablesResolver, createTheme, defaultVariantColorsResolver } from '@mantine/core'

/**
 * Theme. Text on tinted backgrounds is darker (lighter in dark mode) than Mantine's, for a contrast of 4.5 (WCAG 2.2,
 * 1.4.3).
 */
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
    // Links in text are marked by more than colour (1.4.1).
    Anchor: { defaultProps: { underline: 'always' } },
    // Statuses are written in lower case, not in Mantine's capitals.
    Badge: { defaultProps: { tt: 'none' } },
    // The close button is only an icon: it needs a name for screen readers (4.1.2).
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close notification' } } },
  },
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input)
    const name = input.color ?? input.theme.primaryColor
    // White on the light scheme's red has a contrast of only 3.9.
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
