import { warn } from "./platform/process.ts";

function warnOf(name: string, thrown: unknown): void {
  const reason = thrown instanceof Error ? thrown.message : "it threw something that is no Error";
  warn(`The observer ${name} failed: ${reason}`, { type: "JAFObserverWarning" });
}

/** Tells an observer, and doesn't wait for it; what it throws must not change the outcome of what it watches. */
export function tell<Event>(
  name: string,
  observer: ((event: Event) => unknown) | undefined,
  event: Event,
): void {
  try {
    // An async function passes for an observer: nobody else looks after its promise.
    Promise.resolve(observer?.(event)).catch((thrown: unknown) => warnOf(name, thrown));
  } catch (thrown) {
    warnOf(name, thrown);
  }
}
