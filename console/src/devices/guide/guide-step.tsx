import { Anchor, Group, List, Stack, Text, ThemeIcon, Title, VisuallyHidden } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { GuideStep } from '../../../../src/devices/phones/connect-guide.ts'
import { withCode } from '../with-code.tsx'

const states: Readonly<Record<GuideStep['state'], { color: string; mark: string; spoken: string }>> = {
  done: { color: 'teal', mark: '✓', spoken: 'done' },
  passed: { color: 'gray', mark: '–', spoken: 'passed over' },
  now: { color: 'indigo', mark: '', spoken: 'to do' },
  failed: { color: 'red', mark: '!', spoken: 'failed' },
  later: { color: 'gray', mark: '', spoken: 'later' },
}

/** Renders one step: its state, what to do and what is known. `children` are its controls, shown while it is to do. */
export function GuideStepItem({ step, children }: { step: GuideStep; children: ReactNode }) {
  const { number, title, state, todo, summary, remedy, usual } = step
  const isOpen = state === 'now' || state === 'failed'
  const { color, mark, spoken } = states[state]
  const heading = useFocusWhen(isOpen)
  const isLate = useIsLate(isOpen, usual.afterMs)
  return (
    <Group component="li" align="flex-start" wrap="nowrap" gap="sm" data-step={step.name} data-state={state}>
      <ThemeIcon radius="xl" size={26} color={color} variant="light" aria-hidden>
        <Text size="sm" fw={600}>
          {mark || number}
        </Text>
      </ThemeIcon>
      <Stack gap="xs" flex={1} miw={0}>
        <Title order={3} size="h5" ref={heading} tabIndex={-1} {...(state === 'later' && { c: 'dimmed' })}>
          {title}
          <VisuallyHidden> ({spoken})</VisuallyHidden>
        </Title>
        <Stack gap={4} aria-live="polite">
          {summary === '' ? null : (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {summary}
            </Text>
          )}
          {remedy === null ? null : <Text size="sm">{withCode(remedy)}</Text>}
        </Stack>
        {isOpen ? <Todo todo={todo} /> : null}
        {isOpen ? children : null}
        {isOpen && step.heading !== null ? (
          <Anchor href={`/docs/guides/android#${step.heading}`} size="sm" target="_blank">
            Guide: {title}
          </Anchor>
        ) : null}
        {isLate ? (
          <Text size="sm" c="dimmed" role="status">
            {usual.text}
          </Text>
        ) : null}
      </Stack>
    </Group>
  )
}

function Todo({ todo }: { todo: readonly string[] }) {
  if (todo.length < 2) return todo.length === 0 ? null : <Text size="sm">{todo}</Text>
  return (
    <List type="ordered" size="sm" spacing={4} withPadding>
      {todo.map((each) => (
        <List.Item key={each}>{each}</List.Item>
      ))}
    </List>
  )
}

/** Moves the focus to a step when it becomes the one to do: the control that had it is gone. Not to those of the beginning. */
function useFocusWhen(isOpen: boolean) {
  const heading = useRef<HTMLHeadingElement>(null)
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (isOpen && !wasOpen.current) heading.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return heading
}

/** Whether a step has been to do for this long. */
function useIsLate(isOpen: boolean, afterMs: number): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (!isOpen) return undefined
    const timer = setTimeout(() => setLate(true), afterMs)
    return () => {
      clearTimeout(timer)
      setLate(false)
    }
  }, [isOpen, afterMs])
  return isLate
}
