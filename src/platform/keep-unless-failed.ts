interface Cache<Key, Value> {
  get(key: Key): Promise<Value> | undefined
  set(key: Key, value: Promise<Value>): unknown
  delete(key: Key): unknown
}

/** Returns what was made for the key before; what failed is made anew the next time: the cause may be gone. */
export function keepUnlessFailed<Key, Value>(
  cache: Cache<Key, Value>,
  key: Key,
  make: () => Promise<Value>,
): Promise<Value> {
  const known = cache.get(key)
  if (known !== undefined) return known
  const making = make()
  cache.set(key, making)
  making.catch(() => {
    if (cache.get(key) === making) cache.delete(key)
  })
  return making
}

/** Returns a function that makes something when it is first called, and again after that failed. */
export function onceUnlessFailed<Value>(make: () => Promise<Value>): () => Promise<Value> {
  const made = new Map<'made', Promise<Value>>()
  return () => keepUnlessFailed(made, 'made', make)
}
