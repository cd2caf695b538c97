/** A judge's answer on two queries. */
export interface JudgeFinding {
  readonly answer: 'equivalent' | 'not' | 'unsure'
  readonly reason: string
  /** The earlier run that judged it; absent if it was judged in this one. */
  readonly run?: string | undefined
}
