/** Sets a value as the newest of the map, and removes the oldest ones beyond `limit`. */
export function setBounded<K, V>(map: Map<K, V>, [key, value]: readonly [K, V], limit: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}
