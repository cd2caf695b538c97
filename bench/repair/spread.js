/** At most so many, evenly over all places. */
export function spread(items, count) {
  if (items.length <= count) return items
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)])
}
