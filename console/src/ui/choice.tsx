import { NativeSelect, type NativeSelectProps } from '@mantine/core'

type Properties<V extends string> = Omit<NativeSelectProps, 'data' | 'value' | 'onChange'> & {
  data: readonly (V | { value: V; label: string })[]
  value: V
  onChange: (value: V) => void
}

/** Selects one of a few values. The native list needs no extra code, and phones show it in their own way. */
export const Choice = <V extends string>({ data, onChange, ...rest }: Properties<V>) => (
  <NativeSelect
    {...rest}
    data={[...data]}
    // The list has only values of V.
    onChange={(event) => onChange(event.currentTarget.value as V)}
  />
)
