/** Tells an observer; what it throws must not change the outcome of the operation that it watches. */
export function tell<Event>(
  name: string,
  observer: ((event: Event) => void) | undefined,
  event: Event,
): void {
  try {
    observer?.(event);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "it threw something that is no Error";
    process.emitWarning(`The observer ${name} failed: ${reason}`, "JAFObserverWarning");
  }
}
