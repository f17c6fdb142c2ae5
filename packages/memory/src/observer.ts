import { callSafely } from "./async/call-safely.ts";
import { warn } from "./platform/process.ts";

function warnOfFailure(name: string, thrown: unknown): void {
  const reason = thrown instanceof Error ? thrown.message : "it threw something that is no Error";
  warn(`The observer ${name} failed: ${reason}`, { type: "JAFObserverWarning" });
}

/** Calls an observer without waiting for it. If it fails, a process warning names it, and nothing else changes. */
export const notifyObserver = <Event>(
  name: string,
  observer: ((event: Event) => unknown) | undefined,
  event: Event,
): void =>
  callSafely(
    () => observer?.(event),
    (thrown) => warnOfFailure(name, thrown),
  );
