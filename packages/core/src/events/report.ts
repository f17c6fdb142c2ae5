import { warn } from "@jaf/memory/engine";
import { isThenable } from "../thenable.ts";
import { textOfThrown } from "../thrown.ts";

/**
 * Calls something of the application's that only watches, such that it can't break what it watches: what it throws, or
 * rejects with, becomes a process warning named `JAFObserverWarning`, so that it is seen and nothing stops.
 */
export function callObserver(observer: () => unknown, failure: () => string): void {
  try {
    // An async observer is assignable, so there may be a promise to look after.
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
