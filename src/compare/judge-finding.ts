/** What a judge says of two queries. */
export interface JudgeFinding {
  readonly answer: 'equivalent' | 'not' | 'unsure'
  readonly reason: string
}
