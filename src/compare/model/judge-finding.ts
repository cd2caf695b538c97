/** A judge's answer on two queries. */
export interface JudgeFinding {
  readonly answer: 'equivalent' | 'not' | 'unsure'
  readonly reason: string
  /** The earlier run that judged it; absent where it was judged now. */
  readonly run?: string | undefined
}
