import { Code } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'

/** Renders a text of the server, with words in backticks as code. */
export const withCode = (text: string): ReactNode =>
  text
    .split('`')
    .map((piece, i) =>
      i % 2 === 1 ? (
        <Code key={`${i}${piece}`}>{piece}</Code>
      ) : (
        <Fragment key={`${i}${piece}`}>{piece}</Fragment>
      ),
    )
