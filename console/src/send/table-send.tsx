import { Alert, FileInput, Group, NumberInput, Paper, Stack, Text, Textarea } from '@mantine/core'
import { useDeferredValue, useMemo, useState } from 'react'
import { Choice } from '../ui/choice.tsx'
import { formatNumber } from '../ui/format.ts'
import { readTable } from './read-table.ts'
import { FoldedOptions } from './folded-options.tsx'
import { bodyOptions, noOptions, type SendOptions } from './send-options.ts'
import { TableProgress } from './table-progress.tsx'
import { planTable, type SheetTable, type TablePlan, unknownPlaceholders } from './table-plan.ts'
import { withPlainCharacters } from './text-cost.ts'
import styles from './table-send.module.css'
import { TextCounter } from './text-counter.tsx'
import { inEffect, useCanFallBack } from './use-fallback.ts'

interface Sending {
  /** Whether rows are being sent, or sending is paused: the table must not change. */
  isSending: boolean
  onSendingChange: (isSending: boolean) => void
}

/** Form to send a table of numbers, with a text that can contain its columns. */
export function TableSend(sending: Sending) {
  const [table, setTable] = useState<SheetTable | null>(null)
  return (
    <Stack>
      <fieldset disabled={sending.isSending} className={styles['fields']}>
        <TableSource onTable={setTable} />
      </fieldset>
      {table === null ? null : (
        <TableText key={table.rows.length + table.columns.join()} table={table} {...sending} />
      )}
    </Stack>
  )
}

function TableSource({ onTable }: { onTable: (table: SheetTable | null) => void }) {
  const [pasted, setPasted] = useState('')
  const read = (text: string): void => onTable(text.trim() === '' ? null : readTable(text))
  return (
    <Stack gap="sm">
      <FileInput
        label="CSV file"
        description="The first row names the columns. Separated by commas, semicolons or tabs."
        accept=".csv,.tsv,.txt,text/csv"
        clearable
        clearButtonProps={{ 'aria-label': 'Remove file' }}
        onChange={(file) => void (file === null ? Promise.resolve('') : file.text()).then(read)}
      />
      <Textarea
        label="Or paste rows"
        placeholder={'number,name\n+15005550006,Ada'}
        autosize
        minRows={3}
        maxRows={8}
        value={pasted}
        onChange={(event) => {
          setPasted(event.currentTarget.value)
          read(event.currentTarget.value)
        }}
      />
    </Stack>
  )
}

const looksLikeNumbers = (name: string): boolean =>
  /^(to|number|phone|mobile|msisdn|recipient|telefon|handy)/i.test(name)

function TableText({ table, isSending, onSendingChange }: Sending & { table: SheetTable }) {
  const [numberColumn, setNumberColumn] = useState(
    table.columns.find(looksLikeNumbers) ?? table.columns[0] ?? '',
  )
  const [text, setText] = useState('')
  const [options, setOptions] = useState<SendOptions>(noOptions)
  const canFallBack = useCanFallBack()
  // Planning 50,000 rows takes longer than a key stroke: the plan lags behind the typing.
  const settled = useDeferredValue(text)
  const { smartEncoding } = options
  const plan = useMemo(
    () => planTable(table, { numberColumn, text: settled, smartEncoding }),
    [table, numberColumn, settled, smartEncoding],
  )
  const unknown = unknownPlaceholders(text, table.columns)
  const isReady = text !== '' && unknown.length === 0
  return (
    <Stack>
      <fieldset disabled={isSending} className={styles['fields']}>
        <Stack>
          {table.faults.length === 0 ? null : (
            <Alert color="yellow" variant="light" title="Parts of the table could not be read">
              {table.faults.map((fault) => (
                <Text key={fault} size="sm">
                  {fault}
                </Text>
              ))}
            </Alert>
          )}
          <Choice
            label="Number column"
            data={table.columns}
            value={numberColumn}
            onChange={setNumberColumn}
          />
          <Textarea
            label="Text"
            description={`Can contain columns: ${table.columns.map((name) => `{{${name}}}`).join(' ')}`}
            required
            autosize
            minRows={3}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          {unknown.length === 0 ? null : (
            <Alert color="red" variant="light">
              Unknown column {unknown.join(', ')}. Available: {table.columns.join(', ')}.
            </Alert>
          )}
          {text === '' ? null : <Preview plan={plan} onReplace={setText} template={text} />}
          {options.fallsBack && canFallBack ? (
            <Text size="sm">That is the most: what own devices send costs nothing.</Text>
          ) : null}
          <FoldedOptions value={options} onChange={setOptions} />
        </Stack>
      </fieldset>
      {isReady ? (
        <TableProgress
          plan={plan}
          options={bodyOptions(inEffect(options, canFallBack))}
          onSendingChange={onSendingChange}
        />
      ) : null}
    </Stack>
  )
}

/** Previews the message of each row, with the price and the rows that cannot be sent. */
function Preview(properties: { plan: TablePlan; template: string; onReplace: (text: string) => void }) {
  const { plan, template, onReplace } = properties
  const [at, setAt] = useState(1)
  const shown = plan.good[Math.min(at, plan.good.length) - 1]
  return (
    <Stack gap="sm">
      {shown === undefined ? null : (
        <Paper withBorder p="sm">
          <Group justify="space-between" align="end">
            <Text size="sm">
              Row {shown.row} to {shown.to}
            </Text>
            <NumberInput
              label="Message"
              size="xs"
              w={90}
              min={1}
              max={plan.good.length}
              value={at}
              onChange={(value) => setAt(typeof value === 'number' ? value : 1)}
            />
          </Group>
          <Text mt="xs" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} data-testid="preview">
            {shown.text}
          </Text>
          <TextCounter text={shown.text} onReplace={() => onReplace(withPlainCharacters(template))} />
        </Paper>
      )}
      <BadRows plan={plan} />
      <Text role="status" aria-label="Table cost" style={{ fontVariantNumeric: 'tabular-nums' }}>
        <b>{formatNumber(plan.good.length)}</b> messages, <b>{formatNumber(plan.parts)} SMS</b>
        {plan.bad.length === 0 ? '' : `; ${formatNumber(plan.bad.length)} rows are skipped`}
      </Text>
    </Stack>
  )
}

const maxShown = 10

function BadRows({ plan: { bad } }: { plan: TablePlan }) {
  if (bad.length === 0) return null
  return (
    <Alert color="yellow" variant="light" title={`${formatNumber(bad.length)} rows cannot be sent`}>
      {bad.slice(0, maxShown).map(({ row, fault }) => (
        <Text key={row} size="sm">
          Row {row}: {fault}
        </Text>
      ))}
      {bad.length > maxShown ? <Text size="sm">and {formatNumber(bad.length - maxShown)} more</Text> : null}
    </Alert>
  )
}
