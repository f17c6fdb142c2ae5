import { warn } from "@jaf/memory/engine";
import { isThenable } from "../thenable.ts";
import { textOfThrown } from "../thrown.ts";

/**
 * Calls an observer of the application. What it throws, or rejects with, becomes a process warning named `JAFObserverWarning`, and
 * doesn't stop what is observed.
 */
export function callObserver(observer: () => unknown, failure: () => string): void {
  try {
    // An async observer is assignable, too: its promise may reject.
    const returned = observer();
    if (isThenable(returned)) returned.then(undefined, (thrown: unknown) => report(failure(), thrown));
  } catch (thrown) {
    report(failure(), thrown);
  }
}

function report(message: string, thrown: unknown): void {
  const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
  const detail = typeof stack === "string" ? stack : textOfThrown(thrown);
  warn(message, { type: "JAFObserverWarning", detail });
}
