import { NativeSelect, type NativeSelectProps } from '@mantine/core'

type Properties<V extends string> = Omit<NativeSelectProps, 'data' | 'value' | 'onChange'> & {
  data: readonly (V | { value: V; label: string })[]
  value: V
  onChange: (value: V) => void
}

/** One of a few. The browser's own list needs nothing to be loaded, and phones show it as they show all of theirs. */
export const Choice = <V extends string>({ data, onChange, ...rest }: Properties<V>) => (
  <NativeSelect
    {...rest}
    data={[...data]}
    // The list holds nothing else.
    onChange={(event) => onChange(event.currentTarget.value as V)}
  />
)
